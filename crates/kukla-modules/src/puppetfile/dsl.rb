# The words of a Puppetfile. Each is recorded with the line that uses it.
class KuklaPuppetfile
  # g10k's settings of the Forge, which are of no use here.
  class ForgeSettings
    def baseUrl(*) = nil
    def baseURL(*) = nil
    def cacheTtl(*) = nil
    def cacheTTL(*) = nil
  end

  def initialize(records)
    @records = records
  end

  # g10k and librarian-puppet accept options after the version.
  def mod(name, args = nil, options = nil)
    __record__('mod', name, args, options)
  end

  def forge(location = nil)
    return ForgeSettings.new if location.nil?

    __record__('forge', location, nil, nil)
  end

  def moduledir(location)
    __record__('moduledir', location, nil, nil)
  end

  def exclusion(name)
  end

  def method_missing(method, *args)
    raise NoMethodError, "unrecognized declaration '#{method}'"
  end

  private

  def __record__(*record)
    @records << record.push(caller_locations(2, 1)[0].lineno)
    nil
  end
end

lambda do |text, path|
  records = []
  KuklaPuppetfile.new(records).instance_eval(text, path)
  records
end
