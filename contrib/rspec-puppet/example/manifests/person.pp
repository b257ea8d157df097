# Greets one person.
define greeter::person (
  Greeter::Tone $tone,
  Sensitive[String] $password = Sensitive('none'),
) {
  file { "/etc/greeter/${title}":
    content => $password,
    notify  => Exec["greet ${title}"],
  }
  exec { "greet ${title}":
    command     => "/bin/echo '${greeter::phrase($title, $tone)}'",
    refreshonly => true,
  }
}
