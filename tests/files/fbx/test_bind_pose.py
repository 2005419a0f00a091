"""The bind pose of an FBX file: clusters of the skin come before bind poses."""

import math
from types import SimpleNamespace

from manikin.files.fbx.child import _bind_pose


def placed(x: float) -> list[tuple[float, float, float]]:
    """The columns of a placement with the origin (x, 0, 0)."""
    return [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (x, 0.0, 0.0)]


def test_clusters_come_before_bind_poses_and_bind_poses_fill_the_gaps() -> None:
    nodes = [SimpleNamespace(element_id=k) for k in (7, 8, 9)]
    entries = [SimpleNamespace(bone_node=node, bone_to_world=placed(1.0)) for node in nodes[:2]]
    other = [SimpleNamespace(bone_node=nodes[2], bone_to_world=placed(5.0))]
    poses = [
        SimpleNamespace(is_bind_pose=False, bone_poses=other),
        SimpleNamespace(is_bind_pose=True, bone_poses=entries),
    ]
    clusters = [SimpleNamespace(bone_node=nodes[0], bind_to_world=placed(x)) for x in (2.0, 3.0)]
    scene = SimpleNamespace(poses=poses, skin_clusters=clusters)
    found = _bind_pose(scene, nodes, {7: 0, 8: 1, 9: 2})
    assert [row[9] for row in found[:2]] == [2.0, 1.0]  # the first cluster; the bind pose where there is no cluster
    assert math.isnan(found[2][9])
