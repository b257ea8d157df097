# An absolute path.
type Chrony::Path = Pattern[/\A\/.+/]
