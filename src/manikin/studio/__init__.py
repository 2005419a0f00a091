"""The studio without its page: the model of a posed figure, and what a drag does to it. Nothing here knows the web.

- roles     feet, trunk and limbs of a figure, and words for its segments
- goals     `SceneGoal`: a goal that the user set, as plain data
- drag      `Drag`: a figure in the hand: grab, move, rest, release;  turns: small turns from pose to pose
- figures   where the figure of a scene comes from
- scene     `StudioScene`: everything that is seen and saved, and its file
- commands  what changes a scene;  mirror: the mirror image of goals
- journal   `Journal`: commands on disk as they happen, with undo and redo
- script    the Python script that makes a pose again
"""
