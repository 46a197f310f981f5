// Fog: by distance, or in volumes. Light alone is shown without it.

function hasFog({head}) {
  return Boolean(head.fog || head.skyboxFog || head.fogVolumes.length);
}

// The fog of the 3D skybox has the distances of the map.
function useFog(renderer, scene, settings, view) {
  const {gl, map: {uniforms}} = renderer, {head} = scene;
  const shown = settings.fog && settings.mode !== "light" && settings.overlay === "none";
  const fog = shown && (view.inSkybox ? head.skyboxFog : head.fog);
  const volumes = shown && !view.inSkybox ? head.fogVolumes : [];
  const scaled = view.inSkybox ? view.inSkybox.scale : 1;
  const flat = rows => new Float32Array(rows.flat());
  gl.uniform3fv(uniforms.eye, view.eye);
  gl.uniform1i(uniforms.hasFog, fog ? 1 : 0);
  gl.uniform1i(uniforms.volumes, volumes.length);
  if (fog) {
    gl.uniform4fv(uniforms.fogColour, [...fog.colour, clamp(fog.density, 0, 1)]);
    gl.uniform2f(uniforms.fogReach, fog.start / scaled, fog.end / scaled);
  }
  if (volumes.length) {
    gl.uniform3fv(uniforms.volumeMins, flat(volumes.map(row => row.slice(3, 6))));
    gl.uniform3fv(uniforms.volumeMaxs, flat(volumes.map(row => row.slice(6, 9))));
    gl.uniform4fv(uniforms.volumeColour, flat(volumes.map(row => [...row.slice(0, 3), row[9]])));
  }
}
