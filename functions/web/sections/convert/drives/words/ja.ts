import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  names: { 'google-drive': 'Google ドライブ', dropbox: 'Dropbox', onedrive: 'OneDrive' },
  from: (name) => `${name} から`,
  title: (name) => `${name} のファイル`,
  close: '閉じる',
  connect: '接続',
  notConnected: 'このストレージは接続されていません。',
  refused: 'アクセスが拒否されたため、ストレージに接続できませんでした。',
  search: '名前で検索',
  find: '検索',
  back: '戻る',
  files: 'ファイル',
  nothing: 'このフォルダーは空です。',
  more: 'さらに読み込む',
  addFiles: (count) => `${count} 個のファイルを追加`,
  busy: 'お待ちください…',
  disconnect: '接続を解除',
  importFailed: 'ストレージからファイルを読み込めませんでした。',
  saveTo: (name) => `${name} に保存`,
  saveAllTo: (name) => `すべて ${name} に保存`,
  saveHere: (count) => `${count} 件の結果をここに保存`,
  saved: (name) => `${name} に保存しました。`,
  folders: 'フォルダー',
  noFolders: 'このフォルダーに他のフォルダーはありません。',
  saveFailed: '結果をストレージに保存できませんでした。',
}

export default words
