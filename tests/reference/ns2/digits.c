/* Makes ns-2 print its traced variables (RED's average, REM's probability, TCP's window) with all their digits.
 *
 * The library between ns-2 and Tcl writes them with "%g", six digits. Preloaded, this writes them with
 * "%.17g" and leaves every other format alone. It changes what is printed, not what is computed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int __snprintf_chk(char *buffer, size_t size, int flag, size_t room, const char *format, ...)
{
    va_list values;
    (void)flag;
    (void)room;
    va_start(values, format);
    int length = vsnprintf(buffer, size, strcmp(format, "%g") == 0 ? "%.17g" : format, values);
    va_end(values);
    return length;
}
