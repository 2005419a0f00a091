import { describe, expect, it } from "vitest";
import { keyWords, pressed } from "../src/actions";
import { tabId, tokenOf } from "../src/identity";
import { limbMiddle } from "../src/limbs";
import type { Goal, Segment } from "../src/protocol";
import { weightWords } from "../src/panels/goal_settings";
import { shortcut } from "../src/ui/buttons";
import { large } from "../src/view/picking";
import { angle, errorWords, fromLength, goalName, length, partName, reasonsOnly, roleWords, spoken, toLength, verdict } from "../src/words";

const segment = (name: string, parent: string | null, words = name): Segment => ({ name, parent, words, joint: name });
const goal = (values: Partial<Goal>): Goal => ({ id: "g", kind: "placement", role: "pin", words: "right hand", ...values });

describe("names", () => {
  it("reads names of segments aloud", () => {
    expect(spoken("RightHandIndex2")).toBe("right hand index 2");
    expect(spoken("panda_link3")).toBe("panda link 3");
    expect(spoken("mixamorig:LeftUpLeg")).toBe("mixamorig left up leg");
    expect(partName(segment("RightHand", null, "right hand"))).toBe("Right hand");
    expect(partName(segment("L5Joint", null))).toBe("L5 joint");
  });
  it("names the row of a goal by what it is for", () => {
    expect(goalName(goal({ group: "left foot" }))).toBe("Left foot");
    expect(goalName(goal({ role: "aim", words: "head" }))).toBe("Gaze");
    expect(goalName(goal({ role: "pole", words: "left forearm" }))).toBe("Left forearm bend");
    expect(goalName(goal({}))).toBe("Right hand");
  });
});

describe("numbers", () => {
  it("has lengths with the unit that suits them", () => {
    expect([0.0004, 0.004, 0.123, 1.5].map((value) => length(value, 1))).toEqual(["0.4 mm", "4 mm", "12.3 cm", "1.50 m"]);
    expect(length(12.3, 0.01)).toBe("12.3 cm");
    expect(length(12.345, null)).toBe("12.3 units");
  });
  it("has angles for directions", () => {
    expect(angle(0.05)).toBe("2.9°");
    expect(errorWords("aim", Math.PI / 2, 1)).toBe("90°");
    expect(errorWords("placement", 0.05, 1)).toBe("5.0 cm");
    expect(weightWords(0.0316)).toBe("× 0.032");
  });
});

describe("a verdict", () => {
  const fit = (error: number) => ({ id: "g", allowed: 0.1, error });
  it("is met up to the tolerance, and missed above it", () => {
    expect(verdict({}, fit(0.1))).toBe("met");
    expect(verdict({}, fit(0.1001))).toBe("missed");
  });
  it("is off for a goal that does not count, or that nothing is known of", () => {
    expect(verdict({ on: false }, fit(5))).toBe("off");
    expect(verdict({}, undefined)).toBe("off");
  });
});

describe("reasons", () => {
  it("leaves out what the buttons say", () => {
    const said = [
      "The hand misses its target by 5 cm.",
      "Out of reach.",
      "Move the target by 4 cm.",
      "Or drop the planted foot.",
      "Use the pose found.",
    ];
    expect(reasonsOnly(said)).toEqual(said.slice(0, 2));
  });
});

describe("keys", () => {
  const press = (key: string, more = {}) => pressed({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });
  it("have one form in the table and on the keyboard", () => {
    expect(press("Z", { ctrlKey: true, shiftKey: true })).toBe("ctrl+shift+z");
    expect(press("z", { metaKey: true })).toBe("ctrl+z");
    expect(press("Escape")).toBe("Escape");
    expect(press("?", { shiftKey: true })).toBe("shift+?");
  });
  it("are shown in words, and told to assistive technology", () => {
    expect(keyWords("ctrl+shift+z")).toBe("Ctrl Shift Z");
    expect(shortcut("ctrl+z")).toBe("Control+Z");
    expect(shortcut(undefined)).toBe(false);
  });
});

describe("small parts", () => {
  const parts = [segment("Hand", null), segment("Finger", "Hand"), segment("Tip", "Finger")];
  it("give way to the first ancestor that is large enough on the screen", () => {
    expect(large(2, parts, [0.1, 0.02, 0.01], 200)).toBe(0);
    expect(large(2, parts, [0.1, 0.02, 0.01], 600)).toBe(1);
    expect(large(2, parts, [0.1, 0.02, 0.01], 2000)).toBe(2);
  });
  it("stay what they are if all their ancestors are small too", () => {
    expect(large(2, parts, [0.01, 0.01, 0.01], 200)).toBe(2);
  });
  it("stay what they are without an ancestor that is drawn", () => {
    expect(large(1, parts, [0, 0.02, 0.01], 10)).toBe(1);
    expect(large(0, parts, [0.1, 0.02, 0.01], 10)).toBe(0);
  });
});

describe("a limb", () => {
  const body = [
    segment("Hips", null, "pelvis"),
    segment("UpLeg", "Hips", "left thigh"),
    segment("Leg", "UpLeg", "left shank"),
    segment("Foot", "Leg", "left foot"),
    segment("Arm", "Hips", "right upper arm"),
    segment("ForeArm", "Arm", "right forearm"),
    segment("Twist", "ForeArm"),
    segment("Thumb", "Twist"),
  ];
  it("has an elbow or a knee, whichever of its parts is selected", () => {
    expect(
      ["UpLeg", "Leg", "Foot"].map((name) =>
        limbMiddle(
          body,
          body.findIndex((one) => one.name === name),
        ),
      ),
    ).toEqual(["Leg", "Leg", "Leg"]);
    expect([4, 5, 6, 7].map((i) => limbMiddle(body, i))).toEqual(Array(4).fill("ForeArm"));
  });
  it("is none for the trunk", () => expect(limbMiddle(body, 0)).toBeNull());
});

describe("identity", () => {
  it("takes the token from the fragment", () => {
    expect(tokenOf("#abc-_1")).toBe("abc-_1");
    expect(tokenOf("")).toBe("");
  });
  it("keeps the id of a tab, and replaces one that the server would refuse", () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    } as unknown as Storage;
    const id = tabId(storage);
    expect(id).toMatch(/^[\w-]{8,64}$/);
    expect(tabId(storage)).toBe(id);
    kept.set("manikin-tab", "../x");
    expect(tabId(storage)).toMatch(/^[0-9a-f]{24}$/);
  });
});

describe("a distance between parts", () => {
  it("is shown in centimetres if the unit is known", () => {
    expect(toLength(0.025, 1)).toBe(2.5);
    expect(fromLength(2.5, 1)).toBeCloseTo(0.025, 12);
    expect(toLength(3, 0.01)).toBe(3);
    expect(toLength(0.7, null)).toBe(0.7);
    expect(fromLength(0.7, null)).toBe(0.7);
  });
  it("is said in the list of goals", () => {
    expect(roleWords({ role: "clearance", distance: 0.025 }, 1)).toBe("2.5 cm apart");
    expect(roleWords({ role: "clearance" }, 1)).toBe("kept apart");
  });
});
