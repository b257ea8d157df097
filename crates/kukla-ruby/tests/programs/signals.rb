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
