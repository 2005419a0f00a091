/** The materials of the figure. The plain ones are for machines without a GPU. */
import { CanvasTexture, MeshLambertMaterial, MeshPhysicalMaterial, RepeatWrapping, SRGBColorSpace } from "three";
import type { Material } from "three";

const WOOD = { base: "#dcb07a", line: "#7d4f25" },
  JOINT = { base: "#8a5a34", line: "#3a2110" };
const SHEET = 512,
  LINES = 170;

export interface Wood {
  solid: Material;
  joint: Material;
}

/** A sheet of grain that can be tiled. Its lines run along v. */
function grain(colours: { base: string; line: string }, seed: number): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SHEET;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = colours.base;
  pen.fillRect(0, 0, SHEET, SHEET);
  pen.strokeStyle = colours.line;
  let state = seed;
  const random = (): number => (state = (state * 16807) % 2147483647) / 2147483647;
  for (let k = 0; k < LINES; k++) {
    const x = random() * SHEET,
      wave = 2 + 5 * random(),
      phase = 6.28 * random(),
      waves = 1 + Math.floor(2 * random());
    pen.lineWidth = 0.5 + 2.2 * random() ** 3;
    pen.globalAlpha = 0.05 + 0.16 * random() ** 2;
    for (const shift of [-SHEET, 0, SHEET]) {
      pen.beginPath();
      for (let y = 0; y <= SHEET; y += 16) pen.lineTo(x + shift + wave * Math.sin(phase + (2 * Math.PI * waves * y) / SHEET), y);
      pen.stroke();
    }
  }
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

export function wood(plain: boolean): Wood {
  if (plain) return { solid: new MeshLambertMaterial({ color: WOOD.base }), joint: new MeshLambertMaterial({ color: JOINT.base }) };
  return {
    solid: new MeshPhysicalMaterial({ map: grain(WOOD, 7), roughness: 0.5, clearcoat: 0.25, clearcoatRoughness: 0.4 }),
    joint: new MeshPhysicalMaterial({ map: grain(JOINT, 11), roughness: 0.42, clearcoat: 0.35, clearcoatRoughness: 0.3 }),
  };
}
