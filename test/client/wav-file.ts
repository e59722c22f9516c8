/** Creates a silent WAV file of this size. */
export function createWav(bytes: number): File {
  const data = new Uint8Array(bytes)
  const view = new DataView(data.buffer)
  const writeText = (offset: number, text: string) => {
    for (const [index, character] of [...text].entries()) data[offset + index] = character.charCodeAt(0)
  }
  writeText(0, 'RIFF')
  view.setUint32(4, bytes - 8, true)
  writeText(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, 44100, true)
  view.setUint32(28, 88200, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  writeText(36, 'data')
  view.setUint32(40, bytes - 44, true)
  return new File([data], 'tone.wav', { type: 'audio/wav' })
}
