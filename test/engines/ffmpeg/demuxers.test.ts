import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import {
  createDemuxerArgs,
  hasTimestamps,
  listDemuxers,
  localProtocolArgs,
} from '../../../lib/engines/ffmpeg/demuxers.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { fixture } from '../support/run-engine.ts'

describe('files that ffmpeg may open', () => {
  /** Returns what ffmpeg, restricted by the `guard` arguments, writes to stderr for an input. */
  function runWithGuard(guard: readonly string[], input: string): string {
    const { stderr } = spawnSync(
      'ffmpeg',
      ['-v', 'error', '-nostdin', ...guard, '-i', input, '-f', 'null', '-'],
      {
        encoding: 'utf8',
      },
    )
    return stderr
  }

  test('ffmpeg may open only local files and pipes', () => {
    for (const protocol of ['concat', 'http', 'subfile,,start,0,end,1,,'])
      assert.match(runWithGuard(localProtocolArgs, `${protocol}:x`), /not on whitelist 'file,pipe'/, protocol)
    for (const format of ['mp3', 'hevc', 'g726'] as const)
      assert.deepEqual(createDemuxerArgs(format).slice(0, 2), localProtocolArgs, format)
  })

  test('ffmpeg reads files only with the demuxers of their detected format', () => {
    const getDemuxers = (format: FormatId) => createDemuxerArgs(format).slice(2, 4)
    assert.deepEqual(getDemuxers('mkv'), ['-format_whitelist', 'matroska,webm'])
    assert.deepEqual(getDemuxers('flac'), ['-format_whitelist', 'flac'])
    assert.deepEqual(createDemuxerArgs('ul').slice(2), [
      ...['-format_whitelist', 'mulaw', '-f', 'mulaw', '-sample_rate', '8000', '-channels', '1'],
    ])
    const video = fixture('video.mp4')
    assert.match(runWithGuard(createDemuxerArgs('mkv'), video), /not on whitelist|Invalid data/i)
    assert.equal(runWithGuard(createDemuxerArgs('mp4'), video), '')
  })

  test('ffmpeg opens headerless files with a demuxer and explicit parameters', () => {
    const rawFormats: Partial<Record<FormatId, string>> = {
      al: 'alaw -sample_rate 8000 -channels 1',
      sln: 'sln -sample_rate 8000 -channels 1',
      pcm: 's16le -sample_rate 44100 -channels 2',
      g726: 'g726 -sample_rate 8000 -code_size 4',
      g722: 'g722',
      g723_1: 'g723_1',
      gsm: 'gsm',
      sbc: 'sbc',
      aptx: 'aptx',
      aptxhd: 'aptx_hd',
      dfpwm: 'dfpwm',
      h261: 'h261',
      h263: 'h263',
      mjpeg: 'mjpeg',
      mp4v: 'm4v',
    }
    for (const [format, args] of Object.entries(rawFormats)) {
      const guard = createDemuxerArgs(format as FormatId) // Object.entries loses the literal types.
      const [demuxer] = args.split(' ')
      assert.deepEqual(guard.slice(2).join(' '), `-format_whitelist ${demuxer} -f ${args}`)
    }
  })

  test('ffmpeg opens each group of formats with only its listed demuxers', () => {
    const formatsByDemuxers: Readonly<Record<string, string>> = {
      'mov,mp4,m4a,3gp,3g2,mj2': 'mp4 m4v f4v mov qt 3gp 3g2 mj2 ismv m4s m4a m4b m4r mp4a alac 3ga',
      'matroska,webm': 'mkv mk3d mka webm weba',
      avi: 'avi divx xvid amv',
      asf: 'wmv wma asf dvr-ms',
      'mpeg,mpegvideo': 'mpeg mpg vob mod',
      mpegvideo: 'm1v m2v',
      mpegts: 'ts mts m2ts m2t trp tod',
      ogg: 'ogg oga ogv ogm ogx opus spx',
      mp3: 'mp3 mp2 mpa',
      'ac3,eac3': 'ac3 eac3',
      amr: 'amr awb',
      aiff: 'aiff aif aifc',
      au: 'au snd',
      wav: 'wav rf64',
      rm: 'rm rmvb ra',
      m4v: 'mp4v',
      'mjpeg,jpeg_pipe': 'mjpeg',
      yuv4mpegpipe: 'y4m',
      iff: '8svx maud',
      epaf: 'paf',
      nistsphere: 'sph',
      libopenmpt: 'tracker',
      ircam: 'sf',
      truehd: 'thd',
      loas: 'latm',
      codec2: 'c2',
      'apng,png_pipe': 'apng',
      flac: 'flac',
      caf: 'caf',
    }
    // The words in the values above are format ids.
    for (const [demuxers, formats] of Object.entries(formatsByDemuxers))
      for (const format of formats.split(' '))
        assert.equal(listDemuxers(format as FormatId), demuxers, format)
  })

  test('ffmpeg may choose among several demuxers for formats with variants, and raw formats have no timestamps', () => {
    for (const [format, demuxers] of [
      ['mov', 'mov,mp4,m4a,3gp,3g2,mj2'],
      ['m4a', 'mov,mp4,m4a,3gp,3g2,mj2'],
      ['webm', 'matroska,webm'],
      ['vob', 'mpeg,mpegvideo'],
      ['ac3', 'ac3,eac3'],
      ['apng', 'apng,png_pipe'],
      ['opus', 'ogg'],
      ['m2ts', 'mpegts'],
    ] as const)
      assert.equal(listDemuxers(format), demuxers)
    const formats = [
      ...(['h264', 'hevc', 'obu', 'm1v', 'm2v', 'mjpeg', 'mp4v', 'h261', 'h263', 'y4m', 'aptxhd'] as const),
    ]
    assert.deepEqual(formats.filter(hasTimestamps), [])
    assert.ok(hasTimestamps('mp4') && hasTimestamps('ts') && hasTimestamps('aptx'))
  })
})
