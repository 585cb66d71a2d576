"""Never ends after the match."""

import time

from speak import answer, heard, hello

hello(wants=["legal", "finish"])
while (message := heard())["type"] == "decide":
    answer(message)
time.sleep(3600)
