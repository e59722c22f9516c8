import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseOutputSize } from '../../../lib/engines/ffmpeg/video-filters.ts'
import { argAfter, createMediaInfo, createRecipe, type Streams } from '../support/ffmpeg-recipe.ts'

const encodeMode = { mode: 'encode' }
const filter = (to: string, options: object, video: object = {}, overrides: object = {}) =>
  argAfter(createRecipe(to, { ...encodeMode, ...options }, { video }, overrides).output, '-filter:v:0')

describe('video frames', () => {
  test('video frames are only scaled by default, and the fps option adds an fps filter', () => {
    assert.equal(filter('mp4', {}), 'scale=640:480:flags=bicubic,setsar=1')
    assert.equal(filter('mp4', { fps: 12.5 }), 'scale=640:480:flags=bicubic,setsar=1,fps=12.5')
    assert.equal(filter('mp4', { rotate: 0 }), filter('mp4', {}))
  })

  test('a video gets the supported frame rate that is nearest to the requested or original one', () => {
    const findFrameRate = (to: string, options: object, avg_frame_rate = '25/1') =>
      /,fps=(.*)$/.exec(filter(to, options, { avg_frame_rate }))?.[1]
    for (const [requestedRate, knownRate] of [
      [23.98, '24000/1001'],
      [24, '24'],
      [26, '25'],
      [29.97, '30000/1001'],
      [30, '30'],
      [42, '50'],
      [38, '30'],
      [59.94, '60000/1001'],
      [60, '60'],
    ] as const) {
      assert.equal(findFrameRate('mpg', { fps: requestedRate }), knownRate, `MPEG-1: ${requestedRate}`)
      assert.equal(findFrameRate('mpeg', { fps: requestedRate }), knownRate, `MPEG-2: ${requestedRate}`)
    }
    assert.equal(findFrameRate('mpeg', {}, '30000/1001'), '30000/1001')
    assert.equal(findFrameRate('mpeg', {}, '5/1'), '24000/1001')
    for (const unknown of ['0/0', '', '25']) assert.equal(findFrameRate('mpeg', {}, unknown), '25', unknown)
    assert.deepEqual([findFrameRate('dv', { fps: 60 }), findFrameRate('amv', { fps: 5 })], ['25', '25'])
  })

  test('a video without a frame rate gets one if the target format has no timestamps', () => {
    const clock = { avg_frame_rate: '0/0', r_frame_rate: '100000/1' }
    assert.match(filter('avi', {}, clock), /,fps=50$/)
    assert.doesNotMatch(filter('mp4', {}, clock), /fps/)
    assert.match(filter('avi', { fps: 7 }, clock), /,fps=7$/)
    for (const rates of [
      { avg_frame_rate: '25/1', r_frame_rate: '100000/1' },
      { avg_frame_rate: '0/0', r_frame_rate: '1000/1' },
    ])
      assert.doesNotMatch(filter('avi', {}, rates), /fps/)
  })

  test('the frame rate of an animation is set before a background is added', () => {
    const getAnimationFilter = (to: string, options: object, video: object) =>
      filter(to, options, video, { from: 'gif' })
    const size = 'scale=640:480:flags=bicubic,setsar=1'
    assert.equal(getAnimationFilter('mp4', {}, { r_frame_rate: '10/1' }), `fps=10/1,${size}`)
    assert.equal(getAnimationFilter('mp4', { fps: 5 }, { r_frame_rate: '10/1' }), `fps=5,${size}`)
    assert.equal(getAnimationFilter('mp4', {}, { r_frame_rate: '0/0' }), size)
    assert.equal(
      getAnimationFilter('mp4', {}, { avg_frame_rate: '0/0', r_frame_rate: '100000/1' }),
      `fps=50,${size}`,
      'an animated PNG has a clock instead of a frame rate',
    )
    assert.match(
      getAnimationFilter('mp4', {}, { pix_fmt: 'bgra', r_frame_rate: '10/1' }),
      /^fps=10\/1,format=gbrap,split\[above\]\[below\];\[below\]lutrgb=r=255:g=255:b=255:a=255\[color\];/,
    )
  })

  test('a video is rotated before it is fitted into the only frame size of a format such as DV', () => {
    const rotationFilters = [90, 180, 270].map((rotate) =>
      filter('mp4', { rotate }).replace(/.*setsar=1,/, ''),
    )
    assert.deepEqual(rotationFilters, ['transpose=clock', 'hflip,vflip', 'transpose=cclock'])
    assert.equal(
      filter('dv', { rotate: 90 }),
      'scale=640:480:flags=bicubic,setsar=1,transpose=clock,scale=768:576:force_original_aspect_ratio=decrease,pad=768:576:-1:-1,scale=720:576,setsar=768/720,fps=25',
    )
    assert.match(
      filter('amv', {}),
      /,scale=160:120:force_original_aspect_ratio=decrease,pad=160:120:-1:-1,scale=160:120,setsar=160\/160,fps=25$/,
    )
  })

  test('an HDR video stays HDR in H.265, but not with the default codec of MP4 or with an overlay', () => {
    const hdrStream = { pix_fmt: 'yuv420p10le', color_transfer: 'smpte2084', color_space: 'bt2020nc' }
    const createRecipeFor = (options: object, overrides: object = {}) =>
      createRecipe('mp4', options, { video: hdrStream }, overrides)
    const overlay = { path: 'mark.png', left: 5, top: 7 }
    const keptRecipe = createRecipeFor({ ...encodeMode, codec: 'h265' })
    assert.equal(argAfter(keptRecipe.output, '-filter:v:0'), 'scale=640:480:flags=bicubic,setsar=1')
    assert.equal(keptRecipe.output[keptRecipe.output.lastIndexOf('-pix_fmt') + 1], 'yuv420p10le')
    assert.deepEqual(keptRecipe.warnings, [])
    const defaultRecipe = createRecipeFor(encodeMode)
    assert.match(
      argAfter(defaultRecipe.output, '-filter:v:0'),
      /setsar=1,format=yuv444p12le,zscale=tin=smpte2084.*,format=yuv444p$/,
    )
    assert.deepEqual(
      defaultRecipe.warnings.map(({ code }) => code),
      ['COLORS_CONVERTED'],
    )
    assert.match(defaultRecipe.warnings[0]?.message ?? '', /codec=h265 keeps them/)
    const recipeWithOverlay = createRecipeFor({ ...encodeMode, codec: 'h265' }, { overlay })
    assert.match(
      argAfter(recipeWithOverlay.output, '-filter_complex'),
      /^\[0:0\]scale=.*zscale=.*\[video\];\[1:v\]scale=out_color_matrix=bt709,/,
    )
    assert.doesNotMatch(recipeWithOverlay.warnings[0]?.message ?? '', /codec=/)
  })
})

describe('video overlays', () => {
  const overlay = { path: 'mark.png', left: 5, top: 7 }
  const createGraph = (video: object, options: object = {}) => {
    const { output } = createRecipe('mp4', options, { video }, { overlay })
    assert.deepEqual(output.slice(0, 4), ['-f', 'png_pipe', '-i', 'mark.png'])
    assert.equal(argAfter(output, '-map'), '[image]')
    return argAfter(output, '-filter_complex')
  }

  test('an overlay on a video is drawn after the video is scaled and before it is rotated', () => {
    assert.equal(
      createGraph({ color_space: 'bt709' }, { rotate: 90, fps: 5 }),
      '[0:0]scale=640:480:flags=bicubic,setsar=1[video];[1:v]scale=out_color_matrix=bt709,format=yuva444p[mark];[video][mark]overlay=5:7:format=auto,transpose=clock,fps=5[image]',
    )
  })

  test('an overlay on a video is converted to the color space of the video: BT.709, BT.601 or RGB', () => {
    const findMatrix = (video: object) => /\[1:v\](.*?)\[mark\]/.exec(createGraph(video))?.[1]
    const [hd, old] = ['bt709', 'bt601'].map((name) => `scale=out_color_matrix=${name},format=yuva444p`)
    assert.equal(findMatrix({ color_space: 'bt709' }), hd)
    assert.equal(findMatrix({ color_space: 'unknown', width: 1280, height: 720 }), hd)
    assert.equal(findMatrix({ width: 1280, height: 718 }), old)
    assert.equal(findMatrix({ color_space: 'smpte170m', width: 1920, height: 1080 }), old)
    assert.equal(findMatrix({ pix_fmt: 'nv12' }), old)
    assert.equal(findMatrix({ pix_fmt: 'gbrp', color_space: 'bt709' }), 'format=rgba')
  })
})

describe('video output size', () => {
  const getOutputSides = (properties: object, options: object = {}, step?: number) => {
    const { video } = createMediaInfo({ video: properties } satisfies Streams)
    assert.ok(video)
    // Only some of the options are set.
    const { width, height } = chooseOutputSize(video, options as Parameters<typeof chooseOutputSize>[1], step)
    return [width, height]
  }

  test('the output width and height of a video are multiples of the number that the codec requires, and never zero', () => {
    assert.deepEqual(getOutputSides({ width: 101, height: 50 }), [102, 50])
    assert.deepEqual(getOutputSides({ width: 101, height: 50 }, {}, 4), [100, 52])
    assert.deepEqual(getOutputSides({ width: 1, height: 1 }), [2, 2])
    assert.match(filter('rm', {}, { width: 102, height: 50 }), /^scale=104:52:/)
    assert.match(filter('mp4', {}, { width: 102, height: 50 }), /^scale=102:50:/)
  })

  test('the output size of a video is that of the upright video with square pixels', () => {
    const createRotation = (rotation: number) => ({ side_data_list: [{ rotation }] })
    for (const rotation of [90, -90, 270])
      assert.deepEqual(getOutputSides(createRotation(rotation)), [480, 640])
    for (const rotation of [0, 180, -180])
      assert.deepEqual(getOutputSides(createRotation(rotation)), [640, 480])
    assert.deepEqual(getOutputSides({ sample_aspect_ratio: '3:2' }), [960, 480])
    assert.deepEqual(getOutputSides({ sample_aspect_ratio: '1:2' }), [320, 480])
  })

  test('the resolution option fits a video into a box, or sets the shorter side of an upright or rotated video', () => {
    assert.deepEqual(getOutputSides({}, { resolution: '240p' }), [320, 240])
    assert.deepEqual(
      getOutputSides({ side_data_list: [{ rotation: 90 }] }, { resolution: '240p' }),
      [240, 320],
    )
    assert.deepEqual(getOutputSides({}, { resolution: '320x1000' }), [320, 240])
    assert.deepEqual(getOutputSides({}, { resolution: '1000x120' }), [160, 120])
    assert.deepEqual(getOutputSides({}, { resolution: '1280x960' }), [1280, 960])
  })

  test('a video smaller than the minimum size of an encoder gets another encoder or other settings', () => {
    const findEncoder = (to: string, options: object, side: number) => {
      const video = { width: 200, height: side }
      return argAfter(createRecipe(to, { ...encodeMode, ...options }, { video }).output, '-c:v:0')
    }
    assert.deepEqual(
      [findEncoder('mp4', { codec: 'av1' }, 64), findEncoder('mp4', { codec: 'av1' }, 62)],
      ['libsvtav1', 'libaom-av1'],
    )
    const tinyRecipe = createRecipe(
      'mp4',
      { ...encodeMode, codec: 'av1' },
      { video: { width: 200, height: 62 } },
    ).output
    assert.deepEqual([argAfter(tinyRecipe, '-cpu-used'), argAfter(tinyRecipe, '-preset')], ['8', '-'])
    const smallVideo = createRecipe('mj2', encodeMode, { video: { width: 30, height: 200 } }).output
    assert.equal(argAfter(smallVideo, '-numresolution'), '1')
    assert.equal(
      argAfter(
        createRecipe('mj2', encodeMode, { video: { width: 32, height: 32 } }).output,
        '-numresolution',
      ),
      '-',
    )
  })
})
