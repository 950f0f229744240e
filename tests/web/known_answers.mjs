// Known answers for the page's cryptography, in one function that runs in Node and, loaded into a
// page, in browsers. It imports nothing: the module under test and the texts come as arguments.

/** Blocks of `name = hex` lines; an absent value is ''. */
export function parseBlocks(text) {
  const blocks = [];
  for (const part of text.split(/\n\s*\n/)) {
    const lines = part.split('\n').filter((line) => line && !line.startsWith('#'));
    const entries = lines.map((line) => line.split('=').map((word) => word.trim()));
    if (entries.length > 0) blocks.push(Object.fromEntries(entries));
  }
  return blocks;
}

export const FILES = [
  'aes256gcm', 'hkdf_sha256', 'hmac_sha256', 'link_keys', 'noise_nkpsk0', 'records', 'rekey',
  'sha256', 'x25519', 'x25519_low_order',
];

/**
 * Runs every check of every file. texts: name -> text of tests/vectors/<name>.txt.
 * Gives { checked, wrong }: how many values were compared, and a line per difference.
 */
export async function runKnownAnswers(lib, texts, { iterations = 1000 } = {}) {
  const hex = lib.fromHex;
  const result = { checked: 0, wrong: [] };
  const same = (what, got, wanted) => {
    result.checked++;
    const text = typeof got === 'string' ? got : lib.toHex(got);
    if (text !== wanted) result.wrong.push(`${what}: ${text} instead of ${wanted}`);
  };
  const refuses = async (what, action) => {
    result.checked++;
    const outcome = await action().then(() => 'took it', (error) => error);
    if (outcome === 'took it') result.wrong.push(`${what} was not refused`);
    else if (!(outcome instanceof lib.CryptoError)) result.wrong.push(`${what}: ${outcome}`);
  };
  const each = async (name, check) => {
    const blocks = parseBlocks(texts[name]);
    if (blocks.length === 0) result.wrong.push(`${name} is empty`);
    for (const [i, block] of blocks.entries()) await check(block, `${name} ${i + 1}`);
  };

  await each('sha256', async (b, at) => same(at, await lib.sha256(hex(b.data)), b.hash));
  await each('hmac_sha256', async (b, at) => same(at, await lib.hmac(hex(b.key), hex(b.data)), b.mac));
  await each('hkdf_sha256', async (b, at) => {
    const okm = await lib.hkdf(hex(b.salt), hex(b.ikm), hex(b.info), b.okm.length / 2);
    same(at, okm, b.okm);
  });
  await each('aes256gcm', async (b, at) => {
    const key = await lib.aesKey(hex(b.key));
    const sealed = await lib.aesSeal(key, hex(b.nonce), hex(b.aad), hex(b.plaintext));
    same(at, sealed, b.ciphertext + b.tag);
    same(at, await lib.aesOpen(key, hex(b.nonce), hex(b.aad), sealed), b.plaintext);
    sealed[sealed.length - 1] ^= 1;
    await refuses(`${at} altered`, () => lib.aesOpen(key, hex(b.nonce), hex(b.aad), sealed));
  });
  await each('x25519', (b, at) => checkX25519(lib, b, at, same, iterations));
  await each('x25519_low_order', async (b, at) => {
    const pair = await lib.x25519Generate();
    await refuses(at, () => lib.x25519(pair.secret, hex(b.u)));
  });
  await each('noise_nkpsk0', (b, at) => checkNoise(lib, b, at, same));
  await each('link_keys', (b, at) => checkLinkKeys(lib, b, at, same));
  await each('rekey', async (b, at) => {
    // Keys cannot be read back: both must seal alike.
    const next = await lib.rekey(await lib.aesKey(hex(b.key)));
    const wanted = await lib.aesKey(hex(b.next));
    const nothing = new Uint8Array(0);
    const sealed = await lib.aesSeal(wanted, lib.aesNonce(5n), nothing, nothing);
    same(at, await lib.aesSeal(next, lib.aesNonce(5n), nothing, nothing), lib.toHex(sealed));
  });
  await checkRecords(lib, parseBlocks(texts.records), same);
  return result;
}

async function checkX25519(lib, b, at, same, iterations) {
  const hex = lib.fromHex;
  if (b.scalar) {
    const pair = await lib.x25519FromSecret(hex(b.scalar));
    same(at, await lib.x25519(pair.secret, hex(b.u)), b.result);
  }
  if (b.a_secret) {
    const a = await lib.x25519FromSecret(hex(b.a_secret));
    const other = await lib.x25519FromSecret(hex(b.b_secret));
    same(`${at} public`, a.publicKey, b.a_public);
    same(`${at} public`, other.publicKey, b.b_public);
    same(at, await lib.x25519(a.secret, other.publicKey), b.shared);
    same(at, await lib.x25519(other.secret, a.publicKey), b.shared);
  }
  if (!b.iterated_start) return;
  let k = hex(b.iterated_start);
  let u = k;
  for (let i = 1; i <= iterations; i++) {
    const pair = await lib.x25519FromSecret(k);
    [k, u] = [await lib.x25519(pair.secret, u), k];
    const wanted = b[`iterated_${i}`];
    if (wanted) same(`${at} after ${i}`, k, wanted);
  }
}

async function checkNoise(lib, b, at, same) {
  const hex = lib.fromHex;
  const common = { prologue: hex(b.prologue ?? ''), psk: hex(b.psk) };
  const responderStatic = await lib.x25519FromSecret(hex(b.static_secret));
  if (b.static_public) same(`${at} static`, responderStatic.publicKey, b.static_public);
  const initiator = new lib.NoiseInitiator(
    { ...common, ephemeral: await lib.x25519FromSecret(hex(b.initiator_ephemeral)) },
    responderStatic.publicKey,
  );
  const responder = new lib.NoiseResponder(
    { ...common, ephemeral: await lib.x25519FromSecret(hex(b.responder_ephemeral)) },
    responderStatic,
  );
  const first = await initiator.writeFirst(hex(b.payload_0));
  same(`${at} message 0`, first, b.ciphertext_0);
  same(`${at} payload 0`, await responder.readFirst(first), b.payload_0);
  const second = await responder.writeSecond(hex(b.payload_1));
  same(`${at} message 1`, second.message, b.ciphertext_1);
  const read = await initiator.readSecond(second.message);
  same(`${at} payload 1`, read.payload, b.payload_1);
  same(`${at} hash`, read.split.handshakeHash, lib.toHex(second.split.handshakeHash));
  if (b.handshake_hash) same(`${at} hash`, read.split.handshakeHash, b.handshake_hash);
  for (let i = 2; b[`payload_${i}`] !== undefined; i++) {
    const bytes = i % 2 === 0 ? read.split.fromInitiator : read.split.fromResponder;
    const nonce = lib.aesNonce(BigInt((i - 2) >> 1));
    const nothing = new Uint8Array(0);
    const sealed = await lib.aesSeal(await lib.aesKey(bytes), nonce, nothing, hex(b[`payload_${i}`]));
    same(`${at} message ${i}`, sealed, b[`ciphertext_${i}`]);
  }
}

async function checkLinkKeys(lib, b, at, same) {
  const hex = lib.fromHex;
  const secret = hex(b.link_secret);
  const linkId = await lib.deriveLinkId(secret);
  const pair = await lib.x25519FromSecret(hex(b.static_secret));
  const words = await lib.deriveSas(hex(b.handshake_hash));
  const wordText = words.map((word) => word.toString(16).padStart(4, '0')).join('');
  same(`${at} static`, pair.publicKey, b.static_public);
  same(`${at} psk`, await lib.derivePsk(secret), b.psk);
  same(`${at} link id`, linkId, b.link_id);
  same(`${at} prologue`, lib.concat(lib.utf8('vitrine/1'), linkId), b.prologue);
  same(`${at} route`, await lib.deriveRoute(pair.publicKey), b.route);
  same(`${at} check words`, wordText, b.sas);
}

// Each sender's records in order, sealed and opened. Some stand around a change of key, 65,536 records
// on: the counters, which nothing outside can set, are moved from inside, never over a change.
async function checkRecords(lib, blocks, same) {
  const sides = new Map();
  for (const [i, b] of blocks.entries()) {
    const name = `${b.from} ${b.key}`;
    const fresh = () => ({
      writer: new lib.RecordWriter(lib.fromHex(b.key)),
      reader: new lib.RecordReader(lib.fromHex(b.key)),
      next: 0,
    });
    if (!sides.has(name)) sides.set(name, fresh());
    const side = sides.get(name);
    const number = b.number ? Number(`0x${b.number}`) : side.next;
    for (const { direction } of [side.writer, side.reader]) moveCounter(direction, number);
    const type = parseInt(b.type, 16);
    const body = lib.fromHex(b.body);
    const padded = b.from === '02' || body.length <= 256;
    const plain = lib.buildPlain(type & 0x7f, type >= 0x80, body, padded ? lib.PAD_BYTES : 1);
    same(`record ${i + 1}`, await side.writer.seal(plain), b.record);
    const opened = await side.reader.open(lib.fromHex(b.record));
    same(`record ${i + 1} opened`, lib.toHex(opened.body), b.body);
    same(`record ${i + 1} type`, String(opened.type | (opened.more ? 0x80 : 0)), String(type));
    side.next = number + 1;
  }
}

function moveCounter(direction, number) {
  const epoch = (n) => Math.floor(n / 65536);
  if (epoch(direction.counter) !== epoch(number)) throw new Error('would skip a change of key');
  direction.counter = number;
}
