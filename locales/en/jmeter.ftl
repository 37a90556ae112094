# JMeter plans: reading, translating, running them.
