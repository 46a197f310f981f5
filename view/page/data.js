// Unpacks the map: view/pack/data.h describes the form.

function bytesOfBase64(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++)
    bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Puts the bytes of records together again: they are stored by their place in the record, each as
// the difference to the one before.
function unfilter(from, record) {
  const bytes = new Uint8Array(from.length);
  const count = from.length / record;
  for (let place = 0, at = 0; place < record; place++) {
    let value = 0;
    for (let i = 0, to = place; i < count; i++, to += record) {
      value = value + from[at++] & 255;
      bytes[to] = value;
    }
  }
  return bytes;
}

// Returns the head, with `stream(name)` and `image(number)` beside it, and the build `before` if there
// is one, in the same form.
async function readMap(text) {
  const bytes = await inflate(bytesOfBase64(text));
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const body = bytes.subarray(4 + length);
  const part = ({at, size}) => body.subarray(at, at + size);
  const mapOf = own => ({
    head: own,
    stream: name => unfilter(part(own.streams[name]), own.streams[name].record),
    image: number => new Blob([part(own.images[number])], {type: own.images[number].type}),
  });
  return {...mapOf(head), before: head.before ? mapOf({...head.before, images: head.images}) : null};
}
