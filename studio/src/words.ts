/** Names, lengths and angles as people say them. */
import type { Fit, Goal, Segment } from "./protocol";

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "RightHandIndex2" becomes "right hand index 2". */
export function spoken(name: string): string {
  return name
    .replace(/_End$/, " end")
    .replace(/[_.:-]+/g, " ")
    .replace(/([a-z])([A-Z0-9])/g, "$1 $2")
    .replace(/(\d)([A-Za-z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .trim()
    .toLowerCase();
}

/** What people call a segment. The server knows parts of the body; other names are read aloud. */
export const partName = (segment: Segment): string => capital(segment.words === segment.name ? spoken(segment.name) : segment.words);

/** A length in metres if the unit is known, otherwise in the figure's own unit. */
export function length(value: number, unit: number | null): string {
  if (unit === null) return `${Number(value.toPrecision(3))} units`;
  const metres = value * unit;
  if (metres >= 1) return `${metres.toFixed(2)} m`;
  if (metres >= 0.01) return `${(100 * metres).toFixed(1)} cm`;
  return `${(1000 * metres).toFixed(metres >= 0.001 ? 0 : 1)} mm`;
}

/** A length as a number for a field: in centimetres if the unit is known, otherwise in the figure's own unit. */
export const toLength = (value: number, unit: number | null): number => Number((unit === null ? value : 100 * unit * value).toPrecision(4));
export const fromLength = (shown: number, unit: number | null): number => (unit === null ? shown : shown / (100 * unit));

export const angle = (radians: number): string => `${((180 / Math.PI) * radians).toFixed(radians < 0.1745 ? 1 : 0)}°`;

const ANGLES = new Set(["aim", "pole", "orientation"]);

/** The error of a goal in words: "5.9 cm" or "12°". */
export const errorWords = (kind: string, error: number, unit: number | null): string => (ANGLES.has(kind) ? angle(error) : length(error, unit));

export type Verdict = "met" | "missed" | "off";

/** Whether a goal is met. Without an error nothing is known, and a goal that does not count is off. */
export function verdict(goal: Pick<Goal, "on">, fit: Fit | undefined): Verdict {
  if (goal.on === false || !fit) return "off";
  return fit.error > fit.allowed ? "missed" : "met";
}

/** What a goal does, in a word or two. */
export const roleWords = (goal: Pick<Goal, "role" | "distance">, unit: number | null = null): string =>
  goal.role === "clearance" && goal.distance
    ? `${length(goal.distance, unit)} apart`
    : {
        pin: "pinned",
        foot: "planted",
        sole: "planted",
        aim: "aims",
        pole: "points",
        plane: "on a plane",
        balance: "held",
        clearance: "kept apart",
        goal: "held",
      }[goal.role];

/** The name of a goal's row. Goals of a group have one row. */
export function goalName(goal: Goal): string {
  if (goal.group) return capital(goal.group);
  const part = goal.segment === goal.words ? spoken(goal.words) : goal.words;
  if (goal.role === "aim") return part === "head" ? "Gaze" : `${capital(part)} aims`;
  if (goal.role === "pole") return `${capital(part)} bend`;
  if (goal.role === "balance") return "Balance";
  if (goal.role === "clearance") return "Parts apart";
  return capital(part);
}

/** The sentences that give reasons. Advice that a button gives is left out. */
export const reasonsOnly = (sentences: string[]): string[] => sentences.filter((text) => !/^(or )?(move the target|drop |use the pose)/i.test(text));
