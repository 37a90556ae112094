"""The lab: cases (data files) of real systems with a fault, started, switched and measured.

cli → engine (up, switch, down), prove (load and effect), catalogue (lists)
engine → casefile, seed, instance, tiers/*, faults, network, shares, process
It knows nothing of Plimsoll's insides: load is made by running the program.
"""
