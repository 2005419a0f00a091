"""The studio without its page: the model of a posed figure, and what a drag does to it. Nothing here knows the web.

- roles    feet, trunk and limbs of a figure, and words for its segments
- goals    `SceneGoal`: a goal that the user set, as plain data
- drag     `Drag`: a figure in the hand: grab, move, rest, release
"""
