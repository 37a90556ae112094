# compile
