# A port that a service may listen on.
type Nginx::Port = Integer[1, 65535]
