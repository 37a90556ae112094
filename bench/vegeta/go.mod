module plimsoll.bench/peers

go 1.24

require github.com/tsenart/vegeta/v12 v12.13.0
