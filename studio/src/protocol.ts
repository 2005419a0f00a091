/** The messages between the page and the server. Their other side is src/manikin/studio/protocol.py. */

export const VERSION = 1;

/** The commands of the server. tests/studio/test_page_files.py compares them with `manikin.studio.commands`. */
export const COMMANDS = [
  "drag",
  "pin",
  "unpin",
  "aim",
  "pole",
  "plane",
  "clearance",
  "balance",
  "goal",
  "remove",
  "freeze",
  "mirror",
  "paste",
  "reset",
  "key",
  "unkey",
  "timing",
  "rename",
  "pose",
  "move-key",
  "ease-key",
  "clip",
  "close-clip",
  "edit",
  "unedit",
] as const;
/** Commands of a session that change no scene. */
export const SESSION_COMMANDS = ["undo", "redo", "save"] as const;
export type CommandName = (typeof COMMANDS)[number] | (typeof SESSION_COMMANDS)[number];

/** Codes with which the server closes a socket. */
export const NO_TOKEN = 4401,
  REPLACED = 4409,
  REFUSED = 4413;

export type Vec = [number, number, number];

export interface Segment {
  name: string;
  parent: string | null;
  words: string;
  joint: string | null;
}

export type Shape = { segment: number; joint: boolean } & (
  | { kind: "turned"; origin: Vec; axis: Vec; along: number[]; radii: number[] }
  | { kind: "hull"; center: Vec; axis: Vec; across: Vec; radii: number[][] }
  | { kind: "box"; half: Vec; center: Vec; rotation: [number, number, number, number] }
);

export interface SceneMessage {
  type: "scene";
  name: string;
  up: "x" | "y" | "z";
  unit: number | null;
  size: number;
  mass: boolean;
  /** Why a drag cannot prefer a natural pose; empty if it can. */
  not_natural: string;
  segments: Segment[];
  shapes: Shape[];
  /** Whether the server can send a skin. */
  skin: boolean;
}

/** The motion of the scene: a clip with its edits, or what the keys make. */
export interface Timeline {
  version: number;
  frames: number;
  clip?: string | null;
  retargeted?: boolean;
  edits?: { words: string[]; first: number; last: number; blend: number }[];
  contacts?: [point: string, first: number, last: number][];
  notes: string[];
}

export interface Goal {
  id: string;
  kind: "position" | "orientation" | "placement" | "aim" | "pole" | "plane" | "balance" | "clearance";
  role: "pin" | "foot" | "sole" | "aim" | "pole" | "plane" | "balance" | "clearance" | "goal";
  words: string;
  segment?: string;
  target?: number[];
  priority?: number;
  weight?: number;
  on?: boolean;
  group?: string;
  axis?: Vec;
  /** Of a clearance, in the figure's unit. */
  distance?: number;
}

export interface View {
  camera: Vec;
  looks_at: Vec;
  theme: "auto" | "light" | "dark";
  ghosts: boolean;
  key_ghosts: boolean;
  ghost_step: number;
  trails: boolean;
  bones: boolean;
  natural: boolean;
}

/** How far a goal is from being met: in lengths, or in radians for directions. */
export interface Fit {
  id: string;
  allowed: number;
  error: number;
}

export interface StateMessage {
  type: "state";
  name: string;
  goals: Goal[];
  errors: Fit[];
  freeze: string[];
  keys: { frame: number; easing: string }[];
  timeline: Timeline | null;
  fps: number;
  last_frame: number;
  view: View;
  undo: number;
  redo: number;
  support: Vec[];
  pose: string;
  saves: boolean;
}

export interface HeldMessage {
  type: "held";
  goals: { id: string; allowed: number }[];
}

export interface Change {
  words: string;
  commands?: { name: CommandName; args: object }[];
  target?: Vec;
  verified: boolean;
}

export interface WhyMessage {
  type: "why";
  sentences: string[];
  changes: Change[];
}

/** One method on the targets of the scene. */
export type Run = { method: string } & (
  | { applies: false; note: string }
  | {
      applies: true;
      errors: (number | null)[];
      steps: (number | null)[];
      conditions: (number | null)[];
      iterations: number;
      reached: boolean;
      outside_limits: number;
      milliseconds: number;
      frames: number;
      /** Rows of the poses at the path points, in base64. */
      rows: string;
    }
);

export interface CompareMessage {
  type: "compare";
  runs: Run[];
}

/** The poses on disk that fit the figure. */
export interface LibraryMessage {
  type: "library";
  names: string[];
  /** Rows of each pose, in base64. */
  rows: string[];
}

export interface ErrorMessage {
  type: "error";
  text: string;
}

export type TextMessage = SceneMessage | StateMessage | HeldMessage | WhyMessage | CompareMessage | LibraryMessage | ErrorMessage;

export interface PoseFrame {
  /** The drag that this pose answers; 0 if it answers none. */
  serial: number;
  /** Time of the mouse event of that drag. */
  stamp: number;
  milliseconds: number;
  errors: Float32Array;
  center: Float32Array;
  /** Seven numbers for each segment: x y z, then the quaternion x y z w. */
  rows: Float32Array;
}

/** Some frames of the motion. */
export interface ClipBlock {
  version: number;
  first: number;
  frames: number;
  /** Numbers of one frame. */
  width: number;
  rows: Float32Array;
}

/** Numbers that the server sent as base64. */
export const floats = (text: string): Float32Array => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

const HEADER = 24,
  CLIP_HEADER = 20;
const POSE = 1,
  CLIP = 2;

/** Reads frames of the motion. Null if the message is of another kind. */
export function decodeClip(data: ArrayBuffer): ClipBlock | null {
  if (data.byteLength < CLIP_HEADER) return null;
  const [kind, version, first, frames, segments] = new Uint32Array(data, 0, 5);
  if (kind !== CLIP) return null;
  return { version, first, frames, width: 7 * segments, rows: new Float32Array(data, CLIP_HEADER, frames * 7 * segments) };
}

/** Reads a binary message. Null if it is of a kind that this page does not know. */
export function decodePose(data: ArrayBuffer): PoseFrame | null {
  if (data.byteLength < HEADER + 12) return null;
  const view = new DataView(data);
  if (view.getUint32(0, true) !== POSE) return null;
  const count = view.getUint32(20, true);
  return {
    serial: view.getUint32(4, true),
    stamp: view.getFloat64(8, true),
    milliseconds: view.getFloat32(16, true),
    errors: new Float32Array(data, HEADER, count),
    center: new Float32Array(data, HEADER + 4 * count, 3),
    rows: new Float32Array(data, HEADER + 4 * count + 12),
  };
}
