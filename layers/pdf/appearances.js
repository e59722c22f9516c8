// mutool run appearances.js <source> <target>: creates missing appearance streams of form fields and comments.
// Viewers draw these on their own; tools that flatten them into page content would lose them.
// biome-ignore-all lint/suspicious/noVar: mutool's interpreter knows ES5.
// biome-ignore-all lint/correctness/noInnerDeclarations: mutool's interpreter knows ES5.
// biome-ignore-all lint/complexity/useArrowFunction: mutool's interpreter knows ES5.

var source = new PDFDocument(scriptArgs[0])

// MuPDF lists form fields separately from other annotations and omits links and popups, each list in page order.
function listAnnotations(number) {
  var lists = { fields: [], comments: [] }
  var annotations = source.findPage(number).get('Annots')
  if (!annotations) return lists
  for (var index = 0; index < annotations.length; index++) {
    var kind = String(annotations[index].get('Subtype'))
    if (kind === '/Widget') lists.fields.push(annotations[index])
    else if (kind !== '/Link' && kind !== '/Popup') lists.comments.push(annotations[index])
  }
  return lists
}

function drawField(field) {
  if (field.getFieldType() !== 'text') return
  var value = field.getValue()
  if (!value) return
  // The appearance is only created when the value changes.
  field.setTextValue(value.concat(' '))
  field.setTextValue(value)
  field.update()
}

function drawComment(comment) {
  comment.setFlags(comment.getFlags())
  comment.update()
}

var form = source.getTrailer().get('Root').get('AcroForm')
var isStale = form && String(form.get('NeedAppearances')) === 'true'
for (var number = 0; number < source.countPages(); number++) {
  var page = source.loadPage(number)
  var objects = listAnnotations(number)
  page.getWidgets().forEach(function (field, index) {
    if (isStale || !objects.fields[index] || !objects.fields[index].get('AP')) drawField(field)
  })
  page.getAnnotations().forEach(function (comment, index) {
    if (objects.comments[index] && !objects.comments[index].get('AP')) drawComment(comment)
  })
}
source.save(scriptArgs[1], 'compress')
