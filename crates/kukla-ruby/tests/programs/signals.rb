# Exceptions that tell of signals and of system errors.

def attempt
  p yield
rescue ArgumentError, TypeError => error
  puts "#{error.class}: #{error.message}"
end

[2, 15, :INT, "SIGTERM", "HUP", "CLD", 1.5, 100_000, -1, "NONE", :sigint, nil, Object.new].each do |signal|
  attempt { SignalException.new(signal).then { |error| [error.signo, error.signm, error.message] } }
end
attempt { SignalException.new(2, "words").then { |error| [error.signo, error.signm, error.message] } }
attempt { SignalException.new("INT", "words") }
attempt { [Interrupt.new.signo, Interrupt.new.signm, Interrupt.new("words").message] }
attempt { [Signal.list["KILL"], Signal.list.size, Signal.signame(9), Signal.signame(999)] }
attempt { Signal.signame("x") }

p Errno::EWOULDBLOCK.equal?(Errno::EAGAIN), Errno::ENOTSUP.equal?(Errno::EOPNOTSUPP), Errno::ENOTSUP::Errno
p Errno::EBUSY.new("x").message, Errno::EROFS.new.message

p trap('INT') { 1 }.class
p trap(:INT, 'DEFAULT').class
p Signal.trap(:TERM, 'IGNORE'), trap(15, 'DEFAULT'), trap('SIGHUP', nil), trap('HUP', ''), trap('HUP', 'SIG_DFL'), trap('HUP', 'EXIT'), trap('HUP', 'SYSTEM_DEFAULT'), trap('HUP') { 2 }.inspect
p trap('EXIT') { }
p trap('EXIT', 'DEFAULT').class
%w[KILL STOP SEGV BUS FOO].each { |n| begin; p trap(n) { }; rescue ArgumentError, SystemCallError => e; puts e.message; end }
begin; trap('INT'); rescue ArgumentError => e; puts e.message; end
begin; trap(99) {}; rescue ArgumentError => e; puts e.message; end
begin; trap('INT', 'bogus'); p 1; rescue ArgumentError => e; puts e.message; end
