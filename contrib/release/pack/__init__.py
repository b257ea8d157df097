"""Makes the artefacts of a release from finished binaries: `python3 -m pack --help`, called by `contrib/release/all`.

Every artefact is a function of the sources, the binaries and the time of the commit, so that two runs write the same bytes.
"""
