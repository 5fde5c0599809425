// Sound of any size: mono, 16 kHz, 16 bits, so 32,000 bytes a second.

const HEADER_BYTES = 44;

/** A WAV with so many bytes of samples; no two places of it look alike. */
export function bigWave(dataBytes: number): Buffer {
  const wave = Buffer.alloc(HEADER_BYTES + dataBytes);
  waveHeader(dataBytes).copy(wave);
  for (let at = HEADER_BYTES; at + 4 <= wave.length; at += 4) wave.writeUInt32LE((at * 2654435761) % 2 ** 32, at);
  return wave;
}

export function waveHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(dataBytes + HEADER_BYTES - 8, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
