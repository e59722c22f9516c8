import { extname } from 'node:path'

/** ffmpeg's input arguments for files without a header, from the specifications of their formats. */
const inputArgs: Readonly<Record<string, readonly string[]>> = {
  '.al': ['-f', 'alaw', '-sample_rate', '8000', '-channels', '1'],
  '.ul': ['-f', 'mulaw', '-sample_rate', '8000', '-channels', '1'],
  '.sln': ['-f', 's16le', '-sample_rate', '8000', '-channels', '1'],
  '.pcm': ['-f', 's16le', '-sample_rate', '44100', '-channels', '2'],
  '.g726': ['-f', 'g726', '-sample_rate', '8000', '-code_size', '4'],
  '.g722': ['-f', 'g722'],
  '.aptx': ['-f', 'aptx'],
  '.aptxhd': ['-f', 'aptx_hd'],
  '.dfpwm': ['-f', 'dfpwm'],
  '.mjpeg': ['-f', 'mjpeg'],
}

export const createRawInputArgs = (path: string): readonly string[] => inputArgs[extname(path)] ?? []
