/** A hum. */
export function sound(bytes: number): File {
  const wave = new Uint8Array(bytes)
  const view = new DataView(wave.buffer)
  const put = (at: number, text: string) => {
    for (const [index, letter] of [...text].entries()) wave[at + index] = letter.charCodeAt(0)
  }
  put(0, 'RIFF')
  view.setUint32(4, bytes - 8, true)
  put(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, 44100, true)
  view.setUint32(28, 88200, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  put(36, 'data')
  view.setUint32(40, bytes - 44, true)
  return new File([wave], 'tone.wav', { type: 'audio/wav' })
}
