# csv: comma-separated values.
require 'csv'
p CSV.parse("a,b\n1,\"x, \"\"y\"\"\"\n"), CSV.parse_line('1;2', col_sep: ';'), ['a', 'b,c', nil, "q\"r"].to_csv, CSV.generate_line([1, nil, '']), "a,b".parse_csv
t = CSV.parse("h1,h2\n1,2\n3,4\n", headers: true)
p t.map(&:to_h), t['h1'], t.headers, t.first['h2']
p CSV.parse("h1,h2\n1,2.5\n", headers: true, header_converters: :symbol, converters: :numeric).map(&:to_h)
p CSV.generate { |c| c << %w[a b]; c << [1, 2] }
begin; CSV.parse("a,\"b\n"); rescue CSV::MalformedCSVError => e; puts e.class; end
