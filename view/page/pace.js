// On a slow card the picture is coarse while it moves, and fine again when it rests.

const SLOW = 60; // milliseconds from frame to frame
const REST = 200;

function makePace() {
  return {before: 0, mean: 0, moves: false, coarse: false, timer: 0};
}

// Notes a frame of a movement, and sets whether it is drawn coarsely.
function keepPace(pace, time, moves, refine) {
  const passed = time - pace.before;
  if (moves && pace.moves)
    pace.mean += (Math.min(passed, 1000) - pace.mean) / 4;
  pace.before = time;
  pace.moves = moves;
  pace.coarse = moves && pace.mean > SLOW;
  clearTimeout(pace.timer);
  if (pace.coarse)
    pace.timer = setTimeout(refine, REST);
}
