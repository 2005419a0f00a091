/** What is drawn over the figure: pins, targets, the gap to a missed target, the trail, balance. Figure coordinates. */
import { BufferGeometry, DoubleSide, Float32BufferAttribute, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { Goal } from "../protocol";
import type { Studio } from "../studio";
import { Stroke } from "./lines";
import { BLUE, CRIMSON, Mark, PLUM, SAGE } from "./sprites";
import type { Sign } from "./sprites";
import { place, turn } from "./world";
import type { World } from "./world";

const TRAIL = 180;

/** The goals whose target is a point that can be dragged. */
export const hasTarget = (goal: Goal): boolean => goal.role === "aim" || goal.role === "pole" || (goal.role === "goal" && goal.kind === "position");

export class Marks extends Group {
  /** Marks of targets that can be dragged, by the id of their goal. */
  readonly targets = new Map<string, { mark: Mark; line: Stroke }>();
  /** Where the dragged point should go; null between drags. */
  wanted: Vector3 | null = null;
  /** The point of the dragged segment, in its own space. */
  grip = new Vector3();
  /** The newest drag of a segment: what was held where, and where it should go. */
  last: { segment: number; grip: Vector3; wanted: Vector3 } | null = null;
  /** Marks of what is pinned, planted or frozen, by segment. */
  readonly held = new Map<number, Mark>();
  private readonly target = new Mark("target");
  private readonly gap = new Stroke(CRIMSON, 2.6, true);
  private readonly trail = new Stroke(BLUE, 2);
  private readonly mass = new Mark("mass");
  private readonly plumb = new Stroke(PLUM, 1.8, true);
  private readonly support = new Mesh(
    new BufferGeometry(),
    new MeshBasicMaterial({ color: SAGE, transparent: true, opacity: 0.42, depthWrite: false, toneMapped: false, side: DoubleSide }),
  );
  private path: number[] = [];

  constructor(
    private readonly studio: Studio,
    private readonly world: World,
  ) {
    super();
    this.target.visible = this.mass.visible = this.support.visible = false;
    this.support.frustumCulled = false;
    this.support.renderOrder = -1;
    this.trail.material.opacity = 0.65;
    this.add(this.support, this.trail, this.gap, this.plumb, this.mass, this.target);
  }

  /** Where the dragged point of the figure is. */
  heldPoint(): Vector3 {
    return this.pointOn(this.studio.dragged!.segment, this.grip);
  }

  /** Where a point of a segment, given in its own space, is in the figure's space. */
  pointOn(segment: number, local: Vector3): Vector3 {
    const { rows } = this.studio.pose!;
    return local.clone().applyQuaternion(turn(rows, segment)).add(place(rows, segment));
  }

  /** Whether the dragged point misses its target. */
  get missed(): boolean {
    const fit = this.studio.fits.get(this.studio.draggedId);
    return !!fit && fit.error > fit.allowed;
  }

  /** Makes the marks of a new state. */
  renew(): void {
    const { state, scene } = this.studio;
    if (!state || !scene) return;
    const signs = new Map<number, Sign>(),
      inClip = !!state.timeline?.clip; // the goals of the scene do not hold in a clip
    for (const joint of state.freeze)
      signs.set(
        scene.segments.findIndex((segment) => segment.joint === joint),
        "frozen",
      );
    for (const goal of state.goals) {
      if (!inClip && goal.on !== false && (goal.role === "pin" || goal.role === "foot")) signs.set(this.studio.index(goal.segment), "pin");
    }
    for (const [i, mark] of this.held) if (!signs.has(i)) this.drop(this.held, i, mark);
    for (const [i, sign] of signs) {
      if (i < 0) continue;
      if (!this.held.has(i)) this.held.set(i, this.added(new Mark(sign)));
      this.held.get(i)!.show(sign);
    }
    const goals = new Map(state.goals.filter(hasTarget).map((goal) => [goal.id, goal]));
    for (const [id, { mark, line }] of this.targets) {
      if (goals.has(id)) continue;
      this.remove(mark, line);
      this.targets.delete(id);
    }
    for (const [id, goal] of goals) {
      if (this.targets.has(id)) continue;
      const line = new Stroke(goal.role === "aim" ? BLUE : PLUM, 1.8, true);
      this.targets.set(id, { mark: this.added(new Mark(goal.role === "goal" ? "target" : (goal.role as "aim" | "pole"))), line: this.added(line) });
    }
    this.showSupport();
  }

  /** Moves the marks to the present pose. `perPixel` is the height of a pixel at unit distance. */
  update(perPixel: number): void {
    const { pose, scene, state, fits } = this.studio;
    if (!pose || !scene || !state) return;
    for (const [i, mark] of this.held) {
      mark.position.copy(place(pose.rows, i));
      const goals = this.studio.holding(i).filter((goal) => goal.role !== "sole");
      const lost = goals.some((goal) => (fits.get(goal.id)?.error ?? 0) > (fits.get(goal.id)?.allowed ?? 1));
      if (goals.length) mark.show(lost ? "lost" : "pin");
    }
    for (const [id, { mark, line }] of this.targets) {
      const goal = this.studio.goal(id);
      if (!goal?.target) continue;
      if (this.studio.dragged?.goal === id && this.wanted) mark.position.copy(this.wanted);
      else mark.position.fromArray(goal.target);
      line.between(place(pose.rows, this.studio.index(goal.segment)), mark.position, scene.size);
      mark.material.opacity = line.material.opacity = goal.on === false ? 0.35 : 1;
    }
    this.showDrag(scene.size);
    this.showBalance(scene.size);
    for (const child of this.children) if (child instanceof Mark) child.keepSize(perPixel);
  }

  /** Forgets the trail of the drag before. */
  beginTrail(): void {
    this.path = [];
  }

  private showDrag(size: number): void {
    const { dragged } = this.studio;
    const segment = !!dragged && !dragged.goal && !!this.wanted;
    this.target.visible = segment;
    this.gap.visible = this.trail.visible = false;
    if (!segment) return;
    const missed = this.missed,
      held = this.heldPoint();
    this.last = { segment: dragged!.segment, grip: this.grip.clone(), wanted: this.wanted!.clone() };
    this.target.show(missed ? "missed" : "target");
    this.target.position.copy(this.wanted!);
    if (missed) this.gap.between(held, this.wanted!, size);
    this.path.push(held.x, held.y, held.z);
    if (this.path.length > 3 * TRAIL) this.path.splice(0, 3);
    this.trail.through(this.path);
  }

  private showBalance(size: number): void {
    const { pose, scene } = this.studio;
    const goal = this.studio.goal("balance");
    const shown = !!goal && !this.studio.state?.timeline?.clip && goal.on !== false && scene!.mass;
    this.mass.visible = this.plumb.visible = this.support.visible = shown;
    if (!shown) return;
    const center = new Vector3().fromArray(pose!.center),
      fit = this.studio.fits.get("balance");
    const bad = !!fit && fit.error > fit.allowed;
    this.mass.position.copy(center);
    this.plumb.material.color.set(bad ? CRIMSON : PLUM);
    this.support.material.color.set(bad ? CRIMSON : SAGE);
    this.plumb.between(center, center.clone().addScaledVector(this.world.up, -center.dot(this.world.up)), size);
  }

  private showSupport(): void {
    const corners = this.studio.state!.support.map((corner) => new Vector3(...corner));
    const flat: number[] = [];
    const lift = this.world.up.clone().multiplyScalar(0.002 * this.studio.scene!.size);
    for (const corner of corners) corner.addScaledVector(this.world.up, -corner.dot(this.world.up)).add(lift);
    for (let i = 1; i + 1 < corners.length; i++) for (const p of [corners[0], corners[i], corners[i + 1]]) flat.push(p.x, p.y, p.z);
    this.support.geometry.setAttribute("position", new Float32BufferAttribute(flat, 3));
  }

  private added<T extends Mark | Stroke>(made: T): T {
    this.add(made);
    return made;
  }

  private drop(from: Map<number, Mark>, i: number, mark: Mark): void {
    this.remove(mark);
    from.delete(i);
  }
}
