# %% One connection for all cells.
import collections

import plumb

connection = plumb.open("chat.plumb")

# %% One answer.
print(connection.call("bot", "Men are all alike."))

# %% Many, as they come; what fails is a row too.
rows = list(connection.stream("bot", ["I am sad.", "I remember the sea.", 3]))
print(collections.Counter("error" if "error" in row else "value" for row in rows))

# %% A conversation remembers.
talk = connection.conversation("mine")
print([talk.call("bot", text) for text in ("Men are all alike.", "Men are all alike.")])

# %%
connection.close()
