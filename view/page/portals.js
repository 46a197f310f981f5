// Portals between clusters: outlines, those of the own cluster with a cross; and the boxes of the
// leaves of the own cluster.

const OWN_PORTAL = [1, 0.9, 0.2];
const SEEN_PORTAL = [0.2, 0.85, 1];
const OWN_LEAF = [0.4, 1, 0.4];

function readPortals(map) {
  const rows = new Int32Array(map.stream("portals").buffer), points = new Float32Array(map.stream("portalPoints").buffer);
  const portals = [];
  for (let i = 0; i < rows.length; i += 4) {
    const corners = [];
    for (let k = rows[i + 2]; k < rows[i + 2] + rows[i + 3]; k++)
      corners.push([...points.subarray(3 * k, 3 * k + 3)]);
    portals.push({clusters: [rows[i], rows[i + 1]], corners});
  }
  return portals;
}

function outline(corners, colour) {
  return corners.flatMap((corner, i) => [[corner, colour], [corners[(i + 1) % corners.length], colour]]);
}

function portalLines({portals, structure}, cluster) {
  return portals.flatMap(({clusters, corners}) => {
    const own = clusters.includes(cluster);
    if (!own && !clusters.some(other => seesCluster(structure, cluster, other)))
      return [];
    const colour = own ? OWN_PORTAL : SEEN_PORTAL, half = corners.length >> 1;
    const cross = [[corners[0], colour], [corners[half], colour], [corners[1], colour], [corners[(half + 1) % corners.length], colour]];
    return [...outline(corners, colour), ...(own ? cross : [])];
  });
}

function leafLines({structure}, cluster) {
  const lines = [];
  for (let i = 0; i < structure.leafCount && cluster >= 0; i++) {
    const leaf = readLeaf(structure, i);
    if (leaf.cluster === cluster)
      lines.push(...boxLines(leaf.mins, leaf.maxs, OWN_LEAF));
  }
  return lines;
}

// Lines that are made again when the cluster of the camera changes.
function updateStructureLines(gl, scene, settings) {
  const {cluster} = scene;
  const key = [settings.portals, settings.overlay, cluster].join();
  if (key === scene.structureKey)
    return;
  scene.structureKey = key;
  deleteLines(gl, scene.structureLines);
  const points = [
    ...(settings.portals ? portalLines(scene, cluster) : []),
    ...(settings.overlay === "seen" ? leafLines(scene, cluster) : []),
    ...(settings.overlay === "seams" ? seamLines(scene) : []),
  ];
  scene.structureLines = points.length ? makeLines(gl, points) : null;
}
