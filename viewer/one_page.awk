# index.html with the files `style` and `script` in it.
function put(file, tag,   line) {
    print "<" tag ">"
    while ((getline line < file) > 0) print line
    print "</" tag ">"
}
/href="style.css"/ { put(style, "style"); next }
/src="script.js"/ { put(script, "script"); next }
{ print }
