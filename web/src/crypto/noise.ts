// Noise_NKpsk0_25519_AESGCM_SHA256 (Noise Protocol Framework, revision 34), both sides.
//
//   NKpsk0:
//     <- s
//     ...
//     -> psk, e, es
//     <- e, ee
//
// The browser is the initiator; the responder is here for tests and programs. As in every PSK
// pattern, token "e" also mixes the ephemeral into the key (§9.2). A function below reads as the
// pattern does, one line per token. Anything that fails throws, and the whole state is dropped.

import { Bytes, concat, utf8 } from './bytes.js';
import {
  CryptoError,
  KeyPair,
  KEY_BYTES,
  TAG_BYTES,
  aesKey,
  aesNonce,
  aesOpen,
  aesSeal,
  noiseHkdf,
  sha256,
  x25519,
} from './primitives.js';

export const NOISE_NAME = 'Noise_NKpsk0_25519_AESGCM_SHA256';

const EMPTY = new Uint8Array(0);

/** The two transport keys, and the hash both sides agree on. */
export interface Split {
  /** Keys for what the initiator sends, and for what the responder sends; 32 bytes each. */
  readonly fromInitiator: Bytes;
  readonly fromResponder: Bytes;
  readonly handshakeHash: Bytes;
}

/** SymmetricState of §5.2, with the CipherState of §5.1 inside. */
class SymmetricState {
  private key: CryptoKey | undefined;
  private nonce = 0n;

  private constructor(
    private chainingKey: Bytes,
    private hash: Bytes,
  ) {}

  /** InitializeSymmetric, then MixHash(prologue). The name is 32 bytes long: it is h as it is. */
  static async create(prologue: Uint8Array): Promise<SymmetricState> {
    const name = utf8(NOISE_NAME);
    const state = new SymmetricState(name, name);
    await state.mixHash(prologue);
    return state;
  }

  async mixHash(data: Uint8Array): Promise<void> {
    this.hash = await sha256(concat(this.hash, data));
  }

  async mixKey(ikm: Uint8Array): Promise<void> {
    const [ck, k] = (await noiseHkdf(this.chainingKey, ikm, 2)) as [Bytes, Bytes];
    this.chainingKey = ck;
    await this.setKey(k);
  }

  async mixKeyAndHash(ikm: Uint8Array): Promise<void> {
    const [ck, h, k] = (await noiseHkdf(this.chainingKey, ikm, 3)) as [Bytes, Bytes, Bytes];
    this.chainingKey = ck;
    await this.mixHash(h);
    await this.setKey(k);
  }

  async encryptAndHash(plain: Uint8Array): Promise<Bytes> {
    const sealed = await aesSeal(this.useKey(), aesNonce(this.nonce++), this.hash, plain);
    await this.mixHash(sealed);
    return sealed;
  }

  async decryptAndHash(sealed: Uint8Array): Promise<Bytes> {
    const plain = await aesOpen(this.useKey(), aesNonce(this.nonce++), this.hash, sealed);
    await this.mixHash(sealed);
    return plain;
  }

  async split(): Promise<Split> {
    const [first, second] = (await noiseHkdf(this.chainingKey, EMPTY, 2)) as [Bytes, Bytes];
    return { fromInitiator: first, fromResponder: second, handshakeHash: this.hash };
  }

  private async setKey(key: Bytes): Promise<void> {
    this.key = await aesKey(key);
    this.nonce = 0n;
  }

  private useKey(): CryptoKey {
    if (!this.key) throw new CryptoError('no key yet');
    return this.key;
  }
}

/** What both sides must know before. `ephemeral` comes from x25519Generate() except in tests. */
export interface NoiseOptions {
  readonly prologue: Uint8Array;
  readonly psk: Uint8Array;
  readonly ephemeral: KeyPair;
}

/** The viewer's side, for one handshake: writeFirst(), then readSecond(). */
export class NoiseInitiator {
  private state: SymmetricState | undefined;

  /** @param responderStatic the responder's X25519 public key, 32 bytes */
  constructor(
    private readonly options: NoiseOptions,
    private readonly responderStatic: Uint8Array,
  ) {}

  /** -> psk, e, es, payload: 32 + payload + 16 bytes. */
  async writeFirst(payload: Uint8Array): Promise<Bytes> {
    const { prologue, psk, ephemeral } = this.options;
    const state = await SymmetricState.create(prologue);
    await state.mixHash(this.responderStatic); // <- s
    await state.mixKeyAndHash(psk); // psk
    await state.mixHash(ephemeral.publicKey); // e
    await state.mixKey(ephemeral.publicKey);
    await state.mixKey(await x25519(ephemeral.secret, this.responderStatic)); // es
    const sealed = await state.encryptAndHash(payload);
    this.state = state;
    return concat(ephemeral.publicKey, sealed);
  }

  /** <- e, ee, payload. Throws CryptoError when the message is not the responder's answer. */
  async readSecond(message: Uint8Array): Promise<{ payload: Bytes; split: Split }> {
    const state = this.state;
    this.state = undefined;
    if (!state) throw new CryptoError('out of turn');
    const peer = takeEphemeral(message);
    await state.mixHash(peer); // e
    await state.mixKey(peer);
    await state.mixKey(await x25519(this.options.ephemeral.secret, peer)); // ee
    const payload = await state.decryptAndHash(message.subarray(KEY_BYTES));
    return { payload, split: await state.split() };
  }
}

/** The daemon's side, for one handshake: readFirst(), then writeSecond(). */
export class NoiseResponder {
  private state: SymmetricState | undefined;
  private peer: Uint8Array = EMPTY;

  constructor(
    private readonly options: NoiseOptions,
    private readonly ownStatic: KeyPair,
  ) {}

  /** -> psk, e, es; gives the payload. */
  async readFirst(message: Uint8Array): Promise<Bytes> {
    const peer = takeEphemeral(message);
    const state = await SymmetricState.create(this.options.prologue);
    await state.mixHash(this.ownStatic.publicKey); // <- s
    await state.mixKeyAndHash(this.options.psk); // psk
    await state.mixHash(peer); // e
    await state.mixKey(peer);
    await state.mixKey(await x25519(this.ownStatic.secret, peer)); // es
    const payload = await state.decryptAndHash(message.subarray(KEY_BYTES));
    this.state = state;
    this.peer = peer;
    return payload;
  }

  /** <- e, ee, payload: 32 + payload + 16 bytes, and the keys. */
  async writeSecond(payload: Uint8Array): Promise<{ message: Bytes; split: Split }> {
    const state = this.state;
    this.state = undefined;
    if (!state) throw new CryptoError('out of turn');
    const { ephemeral } = this.options;
    await state.mixHash(ephemeral.publicKey); // e
    await state.mixKey(ephemeral.publicKey);
    await state.mixKey(await x25519(ephemeral.secret, this.peer)); // ee
    const sealed = await state.encryptAndHash(payload);
    return { message: concat(ephemeral.publicKey, sealed), split: await state.split() };
  }
}

function takeEphemeral(message: Uint8Array): Bytes {
  if (message.length < KEY_BYTES + TAG_BYTES) throw new CryptoError('message too short');
  return message.slice(0, KEY_BYTES);
}
