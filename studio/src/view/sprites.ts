/** Signs that keep their size in pixels. The shape says the state; the colour repeats it. */
import { CanvasTexture, Sprite, SpriteMaterial, SRGBColorSpace } from "three";

export const TEAL = "#1f7a7a",
  CRIMSON = "#b3264a",
  PLUM = "#6b4f8a",
  SAGE = "#7a9e6d",
  BLUE = "#4a6fa5";
const SIDE = 96;
type Pen = CanvasRenderingContext2D;

function disc(pen: Pen, radius: number, fill: string, edge = ""): void {
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 7);
  pen.fillStyle = fill;
  pen.fill();
  if (!edge) return;
  pen.strokeStyle = edge;
  pen.stroke();
}

function stroke(pen: Pen, colour: string, width: number, path: string): void {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineCap = pen.lineJoin = "round";
  pen.stroke(new Path2D(path));
}

const DRAWN = {
  target(pen: Pen) {
    pen.lineWidth = 8;
    disc(pen, 28, "#ffffffcc", TEAL);
    disc(pen, 10, TEAL);
  },
  missed(pen: Pen) {
    pen.lineWidth = 8;
    pen.beginPath();
    pen.roundRect(-28, -28, 56, 56, 13);
    pen.fillStyle = "#ffffffdd";
    pen.fill();
    stroke(pen, CRIMSON, 8, "M-15-28h30a13 13 0 0 1 13 13v30a13 13 0 0 1-13 13h-30a13 13 0 0 1-13-13v-30a13 13 0 0 1 13-13z");
    stroke(pen, CRIMSON, 8, "M-11-11 11 11M11-11-11 11");
  },
  pin(pen: Pen) {
    pen.lineWidth = 5;
    disc(pen, 30, TEAL, "#fff");
    pen.fillStyle = "#fff";
    pen.beginPath();
    pen.roundRect(-13, -4, 26, 19, 4);
    pen.fill();
    stroke(pen, "#fff", 5, "M-8-4a8 8 0 0 1 16 0");
  },
  lost(pen: Pen) {
    pen.lineWidth = 5;
    disc(pen, 30, CRIMSON, "#fff");
    stroke(pen, "#fff", 7, "M-10-10 10 10M10-10-10 10");
  },
  mass(pen: Pen) {
    pen.lineWidth = 7;
    disc(pen, 22, PLUM, "#fff");
  },
  aim(pen: Pen) {
    pen.lineWidth = 5;
    disc(pen, 32, BLUE, "#fff");
    stroke(pen, "#fff", 4.5, "M-20 0s7-13 20-13 20 13 20 13-7 13-20 13-20-13-20-13z");
    disc(pen, 6.5, "#fff");
  },
  pole(pen: Pen) {
    pen.lineWidth = 5;
    disc(pen, 32, PLUM, "#fff");
    stroke(pen, "#fff", 5, "M-16 14 0-15 16 14");
    disc(pen, 4, "#fff");
  },
  frozen(pen: Pen) {
    pen.lineWidth = 5;
    disc(pen, 26, BLUE, "#fff");
    stroke(pen, "#fff", 4, "M0-15v30M-13-7.500 13 7.500M-13 7.500 13-7.500");
  },
};
export type Sign = keyof typeof DRAWN;
const PIXELS: Record<Sign, number> = { target: 36, missed: 36, pin: 26, lost: 26, mass: 24, aim: 34, pole: 32, frozen: 22 };
const made = new Map<Sign, CanvasTexture>();

function texture(sign: Sign): CanvasTexture {
  const known = made.get(sign);
  if (known) return known;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const pen = canvas.getContext("2d")!;
  pen.translate(SIDE / 2, SIDE / 2);
  DRAWN[sign](pen);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  made.set(sign, map);
  return map;
}

export class Mark extends Sprite {
  private px: number;

  constructor(sign: Sign) {
    super(new SpriteMaterial({ map: texture(sign), depthTest: false, transparent: true, sizeAttenuation: false, toneMapped: false }));
    this.px = PIXELS[sign];
    this.renderOrder = 20;
  }

  show(sign: Sign): void {
    if (this.material.map === texture(sign)) return;
    this.material.map = texture(sign);
    this.px = PIXELS[sign];
  }

  /** `perPixel` is the height of a pixel at unit distance. */
  keepSize(perPixel: number): void {
    this.scale.setScalar(this.px * perPixel);
  }
}
