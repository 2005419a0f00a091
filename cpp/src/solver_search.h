// One start run to its end, and the order of starts. Included by solver.cpp only. The constants are those of a search over
// thousands of targets (docs/decisions.md); the optimum is flat.
#pragma once

static constexpr double kFloor = 1e-5;          // least damping, in sizes squared
static constexpr double kFirstGain = 0.1;       // damping per cost at the start
static constexpr double kPull = 1e-5;           // pull to mid-range, at most; it vanishes with the cost
static constexpr double kNearPosition = 0.02;   // positions nearer than this (in sizes) need no position-first phase
static constexpr double kNudge = 0.3;           // how far the first start moves toward mid-range
static constexpr int kFirstPhase = 2;           // iterations with positions first
static constexpr int kPatience = 6;             // accepted steps before a start can be called trapped
static constexpr int kSamples = 4;              // random starts of which the best is taken

struct Run {
  double cost;
  int iterations;
  bool met, out;
};

static inline bool of_root(const Problem& P, int i) { return P.free_root >= 0 && i >= P.free_root && i < P.free_root + 6; }

// How far a state is from `last`: in w.away along the directions of the steps, and as a weighted sum of squares.
static double away_from_last(Work& w, const State& s) {
  const Problem& P = *w.problem;
  double sum = 0.0;
  for (int i = 0; i < P.coordinates;) {
    const Coordinate& c = P.coordinate[i];
    const SolverNode& n = P.node[c.node];
    const double* x = s.x + i;
    double* d = w.away + i;
    int width = 3;
    if (n.op == kCone) {
      const double reach = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
      const double n1 = reach > 1e-6 ? x[0] / reach : 1.0, n2 = reach > 1e-6 ? x[1] / reach : 0.0;
      const double a = x[0] - w.last.x[i], b = x[1] - w.last.x[i + 1];
      d[0] = n1 * a + n2 * b;
      d[1] = n1 * b - n2 * a;
      d[2] = x[2] - w.last.x[i + 2];
    } else if (n.op == kLoose) {
      const double *p = w.last.turn + 4 * n.turn, *q = s.turn + 4 * n.turn;
      double r[4] = {p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3], p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2],
                     p[0] * q[2] + p[1] * q[3] - p[2] * q[0] - p[3] * q[1], p[0] * q[3] - p[1] * q[2] + p[2] * q[1] - p[3] * q[0]};
      const double sine = __builtin_sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
      double k = sine < 1e-8 ? 2.0 : 2.0 * __builtin_atan2(sine, __builtin_fabs(r[0])) / sine;
      if (r[0] < 0.0) k = -k;
      for (int j = 0; j < 3; ++j) d[j] = k * r[j + 1];
    } else {
      d[0] = x[0] - w.last.x[i];
      width = 1;
    }
    for (int j = 0; j < width; ++j) sum += P.coordinate[i + j].weight * d[j] * d[j];
    i += width;
  }
  return sum;
}

// The bounds of the step so that no coordinate moves more than the box since the last frame; a free root is not boxed.
static void box_bounds(Work& w) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i) {
    const SolverNode& n = P.node[P.coordinate[i].node];
    if (of_root(P, i) || n.op == kSliding) continue;
    const double unit = n.op != kCone ? 1.0 : P.coordinate[i].part == 2 ? n.half : 0.5 * (n.swing[0] + n.swing[1]);
    const double most = unit > 0.0 ? w.box / unit : 0.0;
    const double low = -most - w.away[i], high = most - w.away[i];
    if (low > w.lower[i]) w.lower[i] = low < w.upper[i] ? low : w.upper[i];
    if (high < w.upper[i]) w.upper[i] = high > w.lower[i] ? high : w.lower[i];
  }
}

static void fill_damping(Work& w, const State& s, double lambda, double kappa) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i) {
    const Coordinate& c = P.coordinate[i];
    const double pull = c.bounded ? kappa : 0.0;
    w.damping[i] = (lambda + pull) * c.weight;
    double from = s.x[i] - c.middle;
    if (P.node[c.node].op == kCone && c.part < 2) {  // along the normal the distance from the apex, along the rim none
      const double *x = s.x + i - c.part, reach = __builtin_sqrt(x[0] * x[0] + x[1] * x[1]);
      from = c.part == 0 ? reach : 0.0;
    }
    w.pull[i] = pull * c.weight * from;
    if (P.posture.goal >= 0 && w.posture_weight > 0.0) {
      w.damping[i] += w.posture_stiff[i];
      w.pull[i] += w.posture_pull[i];
    }
    if (w.prox > 0.0) {
      w.damping[i] += w.prox * c.weight;
      w.pull[i] += w.prox * c.weight * w.away[i];
    }
  }
}

static bool positions_near(const Work& w) {
  for (int k = 0; k < w.problem->parts; ++k)
    if (w.part[k].weight > 0.0 && !is_angle(w.problem->part[k]) && !(w.part[k].measure < kNearPosition)) return false;
  for (int k = 0; k < w.problem->links; ++k)
    if (w.link[k].weight > 0.0 && !is_angle(w.problem->link[k]) && !(w.link[k].measure < kNearPosition)) return false;
  return true;
}

static inline bool late(const SolveOptions& options) { return options.deadline < 1e300 && options.clock() > options.deadline; }

// Damped Gauss-Newton from w.now until the goals are met, nothing more is to be had, or the iterations are used up.
// At least `least` steps are tried, even if all goals are met already.
static Run run_start(Work& w, const SolveOptions& options, bool positions_first, int most, bool patient, int least = 0) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i) w.held[i] = 0, w.curvature[i] = 0.0;
  forward(w, w.now);
  all_errors(w);
  bool angles = false;
  for (int k = 0; k < P.parts; ++k) angles |= w.part[k].weight > 0.0 && is_angle(P.part[k]);
  for (int k = 0; k < P.links; ++k) angles |= w.link[k].weight > 0.0 && is_angle(P.link[k]);
  w.angle_factor = 1.0;
  all_links(w, false);  // their measures
  bool first = positions_first && angles && !positions_near(w);
  w.angle_factor = first ? 1e-4 : 1.0;
  double F = cost(w), gain = kFirstGain, past[3] = {F, F, F};
  int accepted = 0, rejected = 0;
  Run run = {F, 0, all_met(w), false};
  if ((run.met && least == 0) || P.coordinates == 0) return run;
  const bool tracking = w.prox > 0.0 || w.box < 1e300;
  double near = tracking ? w.prox * away_from_last(w, w.now) : 0.0;
  columns(w, w.now);
  if (tracking) box_bounds(w);
  all_rows(w);
  all_links(w, true);
  posture(w, true);
  double apart = w.posture_cost;
  gather_terms(w);
  while (run.iterations < most && !late(options)) {
    if (first && (run.iterations >= kFirstPhase || positions_near(w))) {
      first = false;
      w.angle_factor = 1.0;
      forward(w, w.now);  // a rejected trial may have left other frames
      F = cost(w);
      gather_terms(w);
      all_links(w, true);
      past[0] = past[1] = past[2] = F;
      accepted = 0;
    }
    ++run.iterations;
    const double kappa = kPull < 0.01 * F ? kPull : 0.01 * F;
    fill_damping(w, w.now, gain * F + kFloor, kappa);
    bounded_tree_step(w);
    const double linear = promised(w) + rows_promised(w) + posture_promised(w, apart);
    take_step(w, w.now, w.step, w.trial);
    forward(w, w.trial);
    // the errors of the trial go where those of the present are needed again if it is rejected: kept apart
    PartState* kept = w.part;
    LinkState* kept_links = w.link;
    w.part = kept + P.parts;
    w.link = kept_links + P.links;
    for (int k = 0; k < P.parts; ++k) w.part[k].weight = kept[k].weight;
    for (int k = 0; k < P.links; ++k) w.link[k].weight = kept_links[k].weight;
    all_errors(w);
    const double next = cost(w);
    const double near_next = tracking ? w.prox * away_from_last(w, w.trial) : 0.0;
    if (!(next + near_next < F + near)) {  // also where it is not a number
      w.part = kept;
      w.link = kept_links;
      if (tracking) away_from_last(w, w.now);
      gain = gain * 4.0 < 1e3 ? gain * 4.0 : 1e3;
      if (run.met) break;
      if (++rejected > 6 || F - linear < 1e-14 * F) break;
      continue;
    }
    rejected = 0;
    const double ratio = (F - next) / (F - linear);
    if (ratio < 0.25) gain = gain * 4.0 < 1e3 ? gain * 4.0 : 1e3;
    if (ratio > 0.7) gain = gain * 0.5 > 1e-5 ? gain * 0.5 : 1e-5;
    const State swap = w.now;
    w.now = w.trial;
    w.trial = swap;
    for (int k = 0; k < P.parts; ++k) {
      kept[k].measure = w.part[k].measure;
      kept[k].rows = w.part[k].rows;
      for (int r = 0; r < kRowsAPart; ++r) kept[k].e[r] = w.part[k].e[r];
      kept[k].factor = w.part[k].factor;
    }
    for (int k = 0; k < P.links; ++k) kept_links[k] = w.link[k];
    w.part = kept;
    w.link = kept_links;
    const double before = past[accepted % 3];
    past[accepted % 3] = F;
    F = next;
    near = near_next;
    ++accepted;
    if (all_met(w)) {
      run.cost = F;
      run.met = true;
      return run;
    }
    run.met = false;
    if (!first && accepted >= kPatience && (patient ? F > (1.0 - 1e-4) * before : F > 0.7 * before)) break;
    columns(w, w.now);
    if (tracking) box_bounds(w);
    all_rows(w);
    all_links(w, true);
    posture(w, true);
    apart = w.posture_cost;
    gather_terms(w);
    rim_curvature(w);
  }
  run.out = run.iterations >= most;
  if (first) {
    w.angle_factor = 1.0;
    F = cost(w);
  }
  run.cost = F;
  return run;
}

// Random numbers: splitmix64, seeded by the caller, so that the same input gives the same bits.
static inline double uniform(Work& w) {
  unsigned long long z = (w.random += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

// Coordinates with any, and with only, badly met parts below.
static void mark_bad(Work& w) {
  const Problem& P = *w.problem;
  double worst = 0.0;
  auto badness = [&](int k) { return w.part[k].measure * (is_angle(P.part[k]) ? kAngleWeight : 1.0); };
  for (int k = 0; k < P.parts; ++k)
    if (w.part[k].weight > 0.0 && badness(k) > worst) worst = badness(k);
  for (int i = 0; i < P.coordinates; ++i) {
    bool any = false, only = true;
    for (int k = 0; k < P.parts; ++k) {
      if (!(w.part[k].weight > 0.0) || !P.part_chain[static_cast<long>(k) * P.coordinates + i]) continue;
      const bool bad = badness(k) > 0.1 * worst;
      any |= bad;
      only &= bad;
    }
    w.any_bad[i] = any;
    w.only_bad[i] = any && only;
  }
}

// Coordinates for which chosen(i) holds are drawn uniformly within their limits.
template <class Chosen>
static void draw(Work& w, State& s, const Chosen& chosen) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates;) {
    const Coordinate& c = P.coordinate[i];
    const SolverNode& n = P.node[c.node];
    const int width = n.op == kCone || n.op == kLoose ? 3 : 1;
    if (!of_root(P, i) && chosen(i)) {
      if (n.op == kCone) {
        const double radius = __builtin_sqrt(uniform(w)), around = 6.283185307179586 * uniform(w);
        s.x[i] = radius * __builtin_cos(around);
        s.x[i + 1] = radius * __builtin_sin(around);
        s.x[i + 2] = 2.0 * uniform(w) - 1.0;
      } else if (n.op == kLoose) {
        double* q = s.turn + 4 * n.turn;
        const double a = uniform(w), b = 6.283185307179586 * uniform(w), d = 6.283185307179586 * uniform(w);
        q[0] = __builtin_sqrt(1 - a) * __builtin_sin(b);
        q[1] = __builtin_sqrt(1 - a) * __builtin_cos(b);
        q[2] = __builtin_sqrt(a) * __builtin_sin(d);
        q[3] = __builtin_sqrt(a) * __builtin_cos(d);
      } else if (c.bounded) {
        s.x[i] = clamped(c.lower + (c.upper - c.lower) * uniform(w), c.lower, c.upper);
      } else if (n.op == kTurning) {
        s.x[i] = clamped(6.283185307179586 * (uniform(w) - 0.5), c.lower, c.upper);
      }
    }
    i += width;
  }
  follow(w, s);
}

template <class Chosen>
static void to_middle(const Work& w, State& s, double share, const Chosen& chosen) {
  const Problem& P = *w.problem;
  for (int i = 0; i < P.coordinates; ++i)
    if (P.coordinate[i].bounded && chosen(i)) s.x[i] += share * (P.coordinate[i].middle - s.x[i]);
  follow(w, s);
}

static double cost_of(Work& w, const State& s) {
  forward(w, s);
  all_errors(w);
  w.angle_factor = 1.0;
  return cost(w);
}

// A free root moved rigidly so that the parts fit their targets as well as they can (Horn's quaternion).
static void fit_root(Work& w, State& s) {
  const Problem& P = *w.problem;
  if (P.free_root < 0) return;
  forward(w, s);
  Four mean_is = {0, 0, 0, 0}, mean_to = {0, 0, 0, 0};
  double total = 0.0;
  auto placed = [&](int k) { return w.part[k].weight > 0.0 && P.part[k].kind == kPosition && P.part[k].flags == 7 && P.part[k].node >= 0; };
  for (int k = 0; k < P.parts; ++k) {
    if (!placed(k)) continue;
    mean_is += effector(w.frame[P.part[k].node], P.part[k].offset) * w.part[k].weight;
    mean_to += three(w.target + P.part[k].target) * w.part[k].weight;
    total += w.part[k].weight;
  }
  if (!(total > 0.0)) return;
  mean_is = mean_is * (1.0 / total);
  mean_to = mean_to * (1.0 / total);
  double B[3][3] = {};  // sum of is to^T
  auto add = [&](const Four& is, const Four& to, double weight) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) B[i][j] += weight * is[i] * to[j];
  };
  for (int k = 0; k < P.parts; ++k) {
    const Part& part = P.part[k];
    if (placed(k)) {
      add(effector(w.frame[part.node], part.offset) - mean_is, three(w.target + part.target) - mean_to, w.part[k].weight);
    } else if (w.part[k].weight > 0.0 && part.kind == kOrientation && part.node >= 0) {
      Frame wanted;
      quaternion_columns(w.target + part.target, wanted);
      const Frame& f = w.frame[part.node];
      const double weight = w.part[k].weight * kAngleWeight * kAngleWeight;
      add(f.x, wanted.x, weight);
      add(f.y, wanted.y, weight);
      add(f.z, wanted.z, weight);
    }
  }
  const double t = B[0][0] + B[1][1] + B[2][2];
  double N[4][4] = {{t, B[1][2] - B[2][1], B[2][0] - B[0][2], B[0][1] - B[1][0]},
                    {0, 2 * B[0][0] - t, B[0][1] + B[1][0], B[2][0] + B[0][2]},
                    {0, 0, 2 * B[1][1] - t, B[1][2] + B[2][1]},
                    {0, 0, 0, 2 * B[2][2] - t}};
  double norm = 0.0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      if (j < i) N[i][j] = N[j][i];
      norm += N[i][j] * N[i][j];
    }
  norm = __builtin_sqrt(norm);
  double q[4] = {1, 0, 0, 0};
  if (norm > 1e-12) {  // the eigenvector of the largest eigenvalue: squares of N + norm I, made of size 1 each time
    for (int i = 0; i < 4; ++i) N[i][i] += norm;
    for (int times = 0; times < 10; ++times) {
      double M[4][4], size = 0.0;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          M[i][j] = N[i][0] * N[0][j] + N[i][1] * N[1][j] + N[i][2] * N[2][j] + N[i][3] * N[3][j];
          size = __builtin_fabs(M[i][j]) > size ? __builtin_fabs(M[i][j]) : size;
        }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) N[i][j] = M[i][j] / size;
    }
    int k = 0;
    for (int i = 1; i < 4; ++i)
      if (N[i][i] > N[k][k]) k = i;
    double size = 0.0;
    for (int i = 0; i < 4; ++i) size += N[i][k] * N[i][k];
    if (size > 0.0)
      for (int i = 0; i < 4; ++i) q[i] = N[i][k] / __builtin_sqrt(size);
  }
  // world turn q, then the mean to its target; the root's own numbers are in the axes of its joint
  Frame turn;
  quaternion_columns(q, turn);
  const Coordinate& c = P.coordinate[P.free_root];
  const SolverNode& slide = P.node[c.node];
  const SolverNode& ball = P.node[P.coordinate[P.free_root + 3].node];
  const Frame& root = w.frame[P.coordinate[P.free_root + 3].node];
  const Four from = root.p - mean_is;
  const Four at = turn.x * from[0] + turn.y * from[1] + turn.z * from[2] + mean_to;
  Four rest = at - three(slide.offset);
  Frame joint = kWorld;
  if (!slide.plain) times(kWorld, slide.rotation, joint);
  const double moved[3] = {dot3(joint.x, rest), dot3(joint.y, rest), dot3(joint.z, rest)};
  for (int k = 0; k < 3; ++k) s.x[P.free_root + k] = moved[k];
  const double v[4] = {q[0], q[1] * joint.x[0] + q[2] * joint.x[1] + q[3] * joint.x[2], q[1] * joint.y[0] + q[2] * joint.y[1] + q[3] * joint.y[2],
                       q[1] * joint.z[0] + q[2] * joint.z[1] + q[3] * joint.z[2]};
  double* o = s.turn + 4 * ball.turn;
  const double r[4] = {v[0] * o[0] - v[1] * o[1] - v[2] * o[2] - v[3] * o[3], v[0] * o[1] + v[1] * o[0] + v[2] * o[3] - v[3] * o[2],
                       v[0] * o[2] - v[1] * o[3] + v[2] * o[0] + v[3] * o[1], v[0] * o[3] + v[1] * o[2] - v[2] * o[1] + v[3] * o[0]};
  for (int k = 0; k < 4; ++k) o[k] = r[k];
}

static constexpr double kProx = 1e-4;           // weight of staying near the last frame
static constexpr double kSpeed = 8.0;           // radians that a joint may turn while a target moves by the figure's size
static constexpr double kLeastBox = 0.02;       // radians that it may turn in any frame
static constexpr int kFrameIterations = 8;

// One frame of a track: from the last pose, no further than the box allows; at least one step, so that errors do not idle
// at their tolerance. `moved` is how far a target moved since the last frame, in sizes (angles count as in the cost).
static void follow_frame(Work& w, const SolveOptions& options, double moved, SolveResult& result) {
  copy(w, w.start, w.now);
  copy(w, w.start, w.last);
  w.prox = kProx;
  w.box = kSpeed * moved > kLeastBox ? kSpeed * moved : kLeastBox;
  const Run run = run_start(w, options, false, kFrameIterations, true, 1);
  w.prox = 0.0;
  w.box = __builtin_inf();
  result.iterations = run.iterations;
  result.starts = 1;
  cost_of(w, w.now);
  result.cost = cost(w);
  result.reached = all_met(w);
  result.status = result.reached ? 0 : late(options) ? 3 : run.out ? 2 : 1;
}

// The order of starts; leaves the best state in w.now with its errors computed.
static void search(Work& w, const SolveOptions& options, SolveResult& result) {
  const auto all = [](int) { return true; };
  const auto left = [&](int wanted) {
    const int rest = options.most - result.iterations;
    return rest < wanted ? rest : wanted;
  };
  w.angle_factor = 1.0;
  copy(w, w.start, w.now);
  const bool near = options.tracking || (cost_of(w, w.now) < 0.01);
  if (!near) to_middle(w, w.now, kNudge, all);
  Run run = run_start(w, options, !near, left(options.iterations), false);
  result.iterations = run.iterations;
  result.starts = 1;
  double best = run.cost;
  bool out = run.out;
  copy(w, w.now, w.best);
  for (int start = 1; start <= options.restarts && !run.met && left(1) > 0 && !late(options); ++start) {
    cost_of(w, w.best);  // also leaves the errors of the best, by which parts are called bad
    mark_bad(w);
    const auto any = [&](int i) { return w.any_bad[i] != 0; };
    const auto only = [&](int i) { return w.only_bad[i] != 0; };
    if (start == 1) {
      copy(w, w.best, w.now);
      to_middle(w, w.now, 1.0, [&](int i) { return any(i) && !of_root(*w.problem, i); });
      fit_root(w, w.now);
    } else {
      const int way = (start - 2) % 3;
      double least = __builtin_inf();
      for (int k = 0; k < kSamples; ++k) {
        copy(w, w.best, w.trial);
        if (way == 0) {
          draw(w, w.trial, any);
          fit_root(w, w.trial);
        } else if (way == 1) {
          draw(w, w.trial, all);
        } else {
          draw(w, w.trial, only);
        }
        const double F = cost_of(w, w.trial);
        if (F < least) {
          least = F;
          copy(w, w.trial, w.now);
        }
      }
    }
    run = run_start(w, options, true, left(options.iterations), false);
    result.iterations += run.iterations;
    ++result.starts;
    if (run.met || run.cost < best) {
      best = run.cost;
      out = run.out;
      copy(w, w.now, w.best);
    }
  }
  copy(w, w.best, w.now);
  if (!run.met) {  // out of reach, it seems: the best is polished to its minimum
    run = run_start(w, options, false, left(4 * options.iterations), true);
    result.iterations += run.iterations;
    out = run.out;
  }
  cost_of(w, w.now);
  result.cost = cost(w);
  result.reached = all_met(w);
  result.status = result.reached ? 0 : late(options) ? 3 : out ? 2 : 1;
}
