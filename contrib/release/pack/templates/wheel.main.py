"""`python -m kukla`: replaces this process by the binary."""

import os
import sys

from kukla import find_kukla

os.execv(find_kukla(), ["kukla", *sys.argv[1:]])
