/** The space of the figure: its up axis is turned to that of the stage. Everything in figure coordinates is a child. */
import { Group, Quaternion, Vector3 } from "three";
import type { Vec } from "../protocol";

export const UP = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };

export class World extends Group {
  /** The up axis of the figure, in its own coordinates. */
  up = UP.y;

  turnUp(axis: "x" | "y" | "z"): void {
    this.up = UP[axis];
    this.quaternion.setFromUnitVectors(this.up, UP.y);
    this.updateMatrixWorld(true);
  }

  toFigure(stagePoint: Vector3): Vector3 {
    return this.worldToLocal(stagePoint.clone());
  }

  toStage(figurePoint: Vector3): Vector3 {
    return this.localToWorld(figurePoint.clone());
  }
}

export const place = (rows: Float32Array, segment: number): Vector3 => new Vector3().fromArray(rows, 7 * segment);
export const turn = (rows: Float32Array, segment: number): Quaternion => new Quaternion().fromArray(rows, 7 * segment + 3);
export const asVec = (v: Vector3): Vec => [round(v.x), round(v.y), round(v.z)];

const round = (x: number): number => Number(x.toPrecision(8));
