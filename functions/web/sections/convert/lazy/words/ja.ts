import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  options: 'オプション',
  optionsFailed: (reason) => `オプションを読み込めませんでした。${reason}`,
  presets: 'プリセット',
  noPreset: 'なし',
  savePreset: 'プリセットとして保存',
  presetName: 'プリセット名',
  save: '保存',
  deletePreset: 'プリセットを削除',
  copyLink: 'この設定へのリンクをコピー',
  copyResultLink: 'リンクをコピー',
  share: '共有',
  qrCode: 'QR コード',
  qrCodeOf: (name) => `${name} へのリンクの QR コード`,
  linkValidUntil: (time) => `リンクを知っている人は誰でも ${time} までファイルをダウンロードできます。`,
  sameWithOther: '別のファイルでも同じ操作をする',
  linkCopied: 'リンクをコピーしました。',
  reset: 'リセット',
  optionsOf: (counted) => `${counted}のオプション`,
  table: 'ファイル',
  name: '名前',
  size: 'サイズ',
  state: '状態',
  actions: '操作',
  details: '詳細',
  detailsOf: (name) => `${name} の詳細`,
  beforeAfter: '変換前と変換後',
  quality: '別の品質を試す',
  noPreview: 'この種類のファイルはプレビューできません。ダウンロードしてご覧ください。',
  previewFailed: 'プレビューを読み込めませんでした。',
}

export default words
