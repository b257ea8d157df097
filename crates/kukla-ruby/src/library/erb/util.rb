# Escapes for templates.
require "cgi/util"

class ERB
  module Util
    def html_escape(text)
      CGI.escapeHTML(text.to_s)
    end
    alias h html_escape
    module_function :h
    module_function :html_escape

    def url_encode(text)
      CGI.escapeURIComponent(text.to_s.b).force_encoding(Encoding::UTF_8)
    end
    alias u url_encode
    module_function :u
    module_function :url_encode
  end
end
