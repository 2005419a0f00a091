/** `Studio`: what the page knows (scene, state, pose, selection, tool), and how it talks to the server. */
import { Emitter } from "./emitter";
import { Link } from "./link";
import type { Status } from "./link";
import type {
  ClipBlock,
  CommandName,
  CompareMessage,
  Fit,
  Goal,
  HeldMessage,
  LibraryMessage,
  PoseFrame,
  SceneMessage,
  StateMessage,
  TextMessage,
  Vec,
  View,
  WhyMessage,
} from "./protocol";

export type Tool = "grab" | "move" | "turn";

export interface Events {
  scene: SceneMessage;
  state: StateMessage;
  pose: PoseFrame;
  clip: ClipBlock;
  compare: CompareMessage;
  library: LibraryMessage;
  /** Errors of goals changed. */
  fits: void;
  why: WhyMessage | null;
  select: void;
  hover: void;
  tool: Tool;
  /** A drag began or ended. */
  held: boolean;
  status: Status;
  view: Partial<View>;
  /** The skin, or the bare segments, are shown from now on. */
  dressed: void;
  /** A sentence for the user; `bad` if something failed. */
  say: { text: string; bad: boolean };
  /** Something that the first steps count. */
  did: "drag" | "pin" | "turn" | "undo";
}

export class Studio extends Emitter<Events> {
  scene: SceneMessage | null = null;
  state: StateMessage | null = null;
  pose: PoseFrame | null = null;
  why: WhyMessage | null = null;
  /** Indices of the selected segments; the last is the main one. */
  selection: number[] = [];
  hovered = -1;
  tool: Tool = "grab";
  /** Seconds in which an edit of a clip is blended in and out. */
  blend = 0.4;
  /** The pose before the newest drag, as the server wrote it; null if nothing was dragged yet. */
  poseBefore: string | null = null;
  /** The frame of the motion that the figure shows; null if it shows the pose of the scene. */
  shownFrame: number | null = null;
  /** The segment, or the goal, that is dragged; null between drags. */
  dragged: { segment: number; goal?: string } | null = null;
  /** How well each goal is met, by its id. */
  fits = new Map<string, Fit>();
  readonly link: Link;
  private order: HeldMessage["goals"] = [];
  /** Whether the next state is that of a release, after which the reason of a missed drag stays. */
  private keeping = false;
  private byName = new Map<string, number>();

  constructor(
    url: string,
    token: string,
    readonly tab: string,
  ) {
    super();
    this.link = new Link(url, token, tab, {
      text: (message) => this.receive(message),
      pose: (frame) => {
        if (!this.state?.timeline?.clip) this.shownFrame = null;
        this.posed(frame);
      },
      clip: (block) => this.emit("clip", block),
      status: (status) => {
        if (status !== "open") this.letGo();
        this.emit("status", status);
      },
    });
  }

  index(name: string | undefined): number {
    return name === undefined ? -1 : (this.byName.get(name) ?? -1);
  }

  /** The index of the main selected segment; -1 if there is none. */
  get main(): number {
    return this.selection.at(-1) ?? -1;
  }

  goal(id: string): Goal | undefined {
    return this.state?.goals.find((goal) => goal.id === id);
  }

  /** The id of the goal that is dragged; "" between drags. */
  get draggedId(): string {
    const { dragged, scene } = this;
    return dragged ? (dragged.goal ?? `drag ${scene!.segments[dragged.segment].name}`) : "";
  }

  /** The goals that hold a segment in place: its pin, or its planted foot. */
  holding(segment: number): Goal[] {
    const name = this.scene?.segments[segment]?.name;
    const own = this.state?.goals.filter((goal) => goal.segment === name && ["pin", "foot", "sole"].includes(goal.role)) ?? [];
    const groups = new Set(own.map((goal) => goal.group).filter(Boolean));
    return this.state?.goals.filter((goal) => own.includes(goal) || groups.has(goal.group)) ?? [];
  }

  // To the server

  /** Sends a command. A drag ends before it. */
  command(name: CommandName, args: object = {}): void {
    this.release();
    this.setWhy(null);
    if (!this.link.send("cmd", { name, args })) this.emit("say", { text: "There is no connection to the studio", bad: true });
  }

  grab(segment: number, p: Vec, tool: "move" | "turn" = "move"): void {
    this.dragged = { segment };
    this.poseBefore = this.state?.pose ?? null;
    this.setWhy(null);
    this.link.send("grab", { segment: this.scene!.segments[segment].name, p, tool, ...(this.shownFrame !== null && { frame: this.shownFrame }) });
    this.emit("held", true);
  }

  grabTarget(goal: string): void {
    this.dragged = { segment: this.index(this.goal(goal)?.segment), goal };
    this.poseBefore = this.state?.pose ?? null;
    this.setWhy(null);
    this.link.send("grab", { goal, tool: "target" });
    this.emit("held", true);
  }

  drag(p: number[], stamp: number, turn?: number[]): void {
    if (this.dragged) this.link.drag(p, stamp, turn);
  }

  release(pin = false): void {
    if (!this.dragged) return;
    this.link.flush();
    this.keeping = this.why !== null;
    const clip = this.state?.timeline?.clip;
    this.link.send("release", { pin, ...(clip && { blend: Math.round(this.blend * this.state!.fps) }) });
    this.letGo();
    this.emit("did", "drag");
  }

  /** Ends a drag as if it had not begun. */
  cancel(): void {
    if (!this.dragged) return;
    this.release();
    this.command("undo");
  }

  look(view: Partial<View>): void {
    if (this.state) this.state.view = { ...this.state.view, ...view };
    this.link.send("view", view);
    this.emit("view", view);
  }

  // On the page

  /** Shows a frame of the motion. */
  showFrame(frame: number, rows: Float32Array): void {
    this.shownFrame = frame;
    this.posed({ serial: 0, stamp: 0, milliseconds: 0, errors: new Float32Array(0), center: this.pose?.center ?? new Float32Array(3), rows });
  }

  select(segment: number, more = false): void {
    const others = this.selection.filter((one) => one !== segment);
    const was = others.length < this.selection.length;
    if (more) this.selection = was ? others : [...others, segment];
    else this.selection = segment < 0 ? [] : [segment];
    this.emit("select", undefined);
  }

  hover(segment: number): void {
    if (segment === this.hovered) return;
    this.hovered = segment;
    this.emit("hover", undefined);
  }

  use(tool: Tool): void {
    this.tool = tool;
    this.emit("tool", tool);
  }

  say(text: string, bad = false): void {
    this.emit("say", { text, bad });
  }

  private letGo(): void {
    if (!this.dragged) return;
    this.dragged = null;
    this.emit("held", false);
  }

  private setWhy(why: WhyMessage | null): void {
    if (this.why === why) return;
    this.why = why;
    this.emit("why", why);
  }

  private receive(message: TextMessage): void {
    switch (message.type) {
      case "scene": {
        const same = this.scene?.name === message.name && this.scene.segments.length === message.segments.length;
        this.scene = message;
        this.byName = new Map(message.segments.map((segment, i) => [segment.name, i]));
        this.letGo();
        if (!same) {
          this.selection = [];
          this.pose = this.poseBefore = null; // they belong to the figure before
        }
        this.hovered = -1;
        this.emit("scene", message);
        this.emit("select", undefined);
        break;
      }
      case "state":
        this.state = message;
        this.fits = new Map(message.errors.map((fit) => [fit.id, fit]));
        if (!this.keeping) this.setWhy(null);
        this.keeping = false;
        this.emit("state", message);
        this.emit("fits", undefined);
        break;
      case "held":
        this.order = message.goals;
        break;
      case "compare":
        this.emit("compare", message);
        break;
      case "library":
        this.emit("library", message);
        break;
      case "why":
        if (this.dragged) this.setWhy(message);
        break;
      case "error":
        this.say(message.text, true);
    }
  }

  private posed(frame: PoseFrame): void {
    this.pose = frame;
    if (this.dragged && frame.errors.length === this.order.length) {
      this.order.forEach(({ id, allowed }, i) => this.fits.set(id, { id, allowed, error: frame.errors[i] }));
      this.emit("fits", undefined);
    }
    this.emit("pose", frame);
  }
}
