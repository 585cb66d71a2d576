"""Says hello when it is asked to decide."""

from speak import heard, hello, say

hello()
heard()
say(type="hello", protocol=1, name="again", wants=[])
