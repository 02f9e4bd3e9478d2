// What happens when: scenes in their order, and the one clock that all of them follow. Whatever is drawn is
// a function of the time alone, so playing, stepping, scrubbing and a test that seeks show the same.

const PAUSE_MS = 5000; // to read, at the end of each step
const LONGEST_FRAME_MS = 250; // a tab that was not seen does not catch up

// The scenes of a job: where the tiles stand at the end of each, what number they have then, and how long it
// takes. `step` is counted from 1; a step's last scene ends with a pause.
export function scenesOf(job) {
  const until = job.numCopies > 1 ? 7 : 2;
  // With cp slowest, the final numbers are those of the tempting way: nothing moves in step 5.
  const rewind = job.isEndToEnd ? [] : [{ step: 5, name: "rewind", place: "copies", number: "position", ms: 900 }];
  return [
    { step: 1, name: "begin", place: "block", number: "position", ms: 400 },
    { step: 2, name: "split", place: "block", number: "position", ms: 2400 },
    { step: 3, name: "copy", place: "copies", number: "position", ms: 2000 },
    { step: 4, name: "endToEnd", place: "endToEnd", number: "endToEnd", ms: 2600 },
    ...rewind,
    { step: 5, name: "insert", place: "final", number: "rank", ms: job.isEndToEnd ? 400 : 3200 },
    { step: 6, name: "return", place: "copies", number: "rank", ms: 1600 },
    { step: 6, name: "gather", place: "copies", number: "rank", ms: 3200 },
    { step: 7, name: "check", place: "final", number: "rank", ms: 1600 },
  ].filter(({ step }) => step <= until);
}

export class Timeline {
  constructor(scenes) {
    this.scenes = [];
    this.rests = []; // by step, from 1: the time at which it has been shown in full
    this.starts = [];
    let time = 0;
    scenes.forEach((scene, place) => {
      this.starts[scene.step] ??= time;
      this.scenes.push({ ...scene, start: time, end: (time += scene.ms) });
      if (scenes[place + 1]?.step === scene.step) return;
      this.rests[scene.step] = time;
      time += PAUSE_MS;
    });
    this.numSteps = scenes.at(-1).step;
    this.length = this.rests[this.numSteps]; // no pause after the last
  }

  // The scene at a time, and how much of it has passed, from 0 to 1.
  at(time) {
    const scene = this.scenes.findLast(({ start }) => start <= time) ?? this.scenes[0];
    return { scene, share: Math.min(Math.max((time - scene.start) / scene.ms, 0), 1) };
  }

  stepAt(time) {
    return this.at(time).scene.step;
  }

  startOf(name) {
    return this.scenes.find((scene) => scene.name === name).start;
  }
}

// Moves a time along, at the pace of frames; `tick(time)` is called with each, `stopped()` at the end.
export class Clock {
  constructor(tick, stopped) {
    Object.assign(this, { tick, stopped, time: 0, speed: 1, until: null });
  }

  get isRunning() {
    return this.until !== null;
  }

  // Runs to a time, forwards or backwards, `speed` times as fast as life.
  runTo(until) {
    const wasRunning = this.isRunning;
    this.until = until;
    if (wasRunning) return;
    let last = performance.now();
    const frame = (now) => {
      if (!this.isRunning) return;
      const passed = Math.min(Math.max(now - last, 0), LONGEST_FRAME_MS) * this.speed;
      last = now;
      const left = this.until - this.time;
      if (Math.abs(left) <= passed) {
        const end = this.until;
        this.until = null;
        this.seek(end);
        return this.stopped();
      }
      this.seek(this.time + Math.sign(left) * passed);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  stop() {
    this.until = null;
  }

  seek(time) {
    this.time = time;
    this.tick(time);
  }
}
