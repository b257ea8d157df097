# Files are not writable by everybody.
policy('a file is not writable by everybody', File) |$file| {
  $file['mode'] !~ /[2367]$/
}

# Somebody owns every file.
policy('a file has an owner', File, 'warning') |$file| {
  $file['owner'] =~ NotUndef
}
