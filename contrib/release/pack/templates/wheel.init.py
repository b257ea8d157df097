"""Kukla, the Puppet language in one binary. `find_kukla()` is the path of the binary that this package installed."""

import os
import sysconfig


def find_kukla():
    """The path of the binary: in the scripts of this environment, of the user, or beside a `pip install --target`."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    user = "posix_user" if os.name == "posix" else f"{os.name}_user"
    places = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=user), os.path.join(here, "bin")]
    for place in places:
        path = os.path.join(place, "kukla")
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"kukla is not in {', '.join(places)}")
