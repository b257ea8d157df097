# The network is closed to the code of modules; the names are there for those who only mention them.
require 'net/http'

module Net
  class FTPError < StandardError; end

  class FTP
    def self.open(*)
      raise FTPError, 'there is no FTP here'
    end

    def initialize(*)
      raise FTPError, 'there is no FTP here'
    end
  end
end
