import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'ページ',
  pages: (count) => `${count} ページ`,
  selected: (count, of) => `${of} ページ中 ${count} ページを選択中`,
  page: (page) => `${page} ページ`,
  rotatedBy: (degrees) => `${degrees}° 回転`,
  isRemoved: '削除済み',
  isSplitAfter: 'このページの後で分割',
  selectAll: 'すべて選択',
  selectNone: '選択を解除',
  rotateLeft: '左に回転',
  rotateRight: '右に回転',
  moveBack: '左へ移動',
  moveForward: '右へ移動',
  remove: '削除',
  restore: '元に戻す',
  split: '後ろで分割',
  unsplit: '後ろで分割しない',
  splitEvery: '… ページごとに分割',
  splitNow: '分割',
  reset: 'リセット',
  size: 'サムネイルのサイズ',
  range: '選択したページ',
  rangeHint: '例：1-5, 10, 15-last。空欄の場合はすべてのページ。',
  actions: '選択したページの操作',
  keys: {
    always:
      '矢印キーでページを移動、スペースキーで選択、Shift と矢印キーで選択範囲を拡大、Ctrl+A ですべて選択します。',
    move: 'Alt と矢印キーでページを並べ替えます。',
    rotate: 'R で右、L で左に回転します。',
    remove: 'Delete で削除または元に戻します。',
    split: 'S でページの後ろで分割します。',
  },
  movedTo: (page, at, of) => `${page} ページを ${of} ページ中 ${at} 番目に移動しました`,
  rotatedTo: (count, page, degrees) =>
    count === 1 ? `${page} ページを ${degrees}° 回転しました` : `${count} ページを回転しました`,
  removedNow: (count) => `${count} ページを削除しました`,
  restoredNow: (count) => `${count} ページを元に戻しました`,
  files: (count) => `${count} 個のファイル`,
  opening: 'PDF を開いています…',
  locked: 'この PDF は保護されています。パスワードを入力してください。',
  wrongPassword: 'パスワードが違います。もう一度お試しください。',
  password: 'パスワード',
  open: '開く',
  tooLarge: 'この PDF は大きすぎるため、ブラウザーではプレビューできません。',
  unreadable: 'この PDF はブラウザーではプレビューできません。',
  drawOnServer: 'サーバーで作成したページを表示',
  drawOnServerHint: '先にファイルをアップロードします。',
  sending: 'アップロード中…',
  drawing: 'プレビューを作成中…',
  noPreview: 'プレビューなし',
  tooMany: (max) =>
    `この PDF は ${max} ページを超えるため、表示できません。下の欄にページ番号を入力してください。`,
}

export default words
