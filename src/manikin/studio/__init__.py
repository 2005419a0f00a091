"""The studio: a page on which a user poses a figure by hand. Only the last row has modules with web code.

- roles     feet, trunk and limbs of a figure, and words for its segments
- goals     `SceneGoal`: a goal that the user set, as plain data
- drag      `Drag`: a figure that is dragged: grab, move, rest, release;  turns: small turns from pose to pose
- figures   where the figure of a scene comes from
- scene     `StudioScene`: everything that is seen and saved, and its file
- commands  what changes a scene;  mirror: the mirror image of goals
- journal   `Journal`: commands on disk as they happen, with undo and redo
- script    the Python script that makes a pose again
- met       which goals are met
- shapes    what the page draws;  words: reports in the words of the studio
- protocol  the messages between page and server
- session   `Session`: one tab: messages in, messages out
- state     the folder of tokens, journals and uploaded files;  tabs: the sessions of a server
- opening   what the command opens
- live      one socket;  uploads: files from the page;  app: routes, checks and headers;  serve: the running server

`notebook` has `mk.open_studio(figure)`, which opens the page in a notebook or a window.
"""
