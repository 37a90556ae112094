-- Prints percentiles in µs that wrk's own --latency table leaves out. Only `done`
-- is defined, so the measured path is wrk's plain one.
done = function(summary, latency, requests)
  for _, p in ipairs({ 50, 99, 99.9 }) do
    io.write(string.format("percentile %g %d\n", p, latency:percentile(p)))
  end
  io.write(string.format("percentile 100 %d\n", latency.max))
end
