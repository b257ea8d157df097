# How to greet.
type Greeter::Tone = Enum['plain', 'loud']
