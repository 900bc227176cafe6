#!/usr/bin/env python3
"""Test cases of the Jinja engine, with what transformers' own environment makes of them.

    python scripts/make_jinja_cases.py [OUT_DIR]        (default: tests/data/jinja)

Needs transformers 5.24 and Jinja2 3.1.6. Writes OUT_DIR/context.json, what most cases see, and one
OUT_DIR/<topic>.json a topic: a list of {"template", "context", "expected"} (no context: the common one), or "error" (the Python class) in place of "expected", with
"message" where the text is part of the contract (raise_exception). The clock stands at NOW.
Cases that print an address of Python's memory are left out.
"""

import datetime
import json
import pathlib
import sys

from transformers.utils import chat_template_utils as ctu

NOW = datetime.datetime(2026, 1, 15, 12, 0, 0)


class FrozenDatetime(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


ctu.datetime = FrozenDatetime

# What most cases see.
CONTEXT = {
    "name": "World", "empty": "", "none_value": None, "yes": True, "no": False, "n": 7, "big": 18446744073709551615,
    "pi": 3.14159, "half": 0.5, "tiny": 1e-07, "huge": 1e22, "items": [3, 1, 2], "words": ["b", "A", "c", "B"],
    "text": "the quick brown fox", "lines": "one\ntwo\n\nthree", "uni": "Grüße 東京 😀", "html": "<b>\"Tom\" & 'Jerry'</b>",
    "d": {"b": 1, "a": {"x": [1, None, True, 2.5, "é\"\n"]}, "items": "shadow"}, "nested": [[1, 2], [3, [4]]],
    "people": [{"name": "Ann", "age": 30, "city": "Oslo"}, {"name": "bob", "age": 25, "city": "oslo"},
               {"name": "Cy", "age": 30, "city": "Bern"}, {"name": "Di", "age": 4}],
    "spaced": "  \t padded \n ",
}

TOPICS = {}


def topic(name, *templates, context=None):
    """Each template is a text, or a pair of text and context."""
    for entry in templates:
        template, own = entry if isinstance(entry, tuple) else (entry, context if context is not None else CONTEXT)
        TOPICS.setdefault(name, []).append((template, own))


def expressions(name, *sources):
    topic(name, *["{{ " + source + " }}" for source in sources])


# ---------------------------------------------------------------- white space
topic("whitespace",
      "a {{ 1 }} b", "a {{- 1 -}} b", "a {{+ 1 }} b", " {%- if true -%} x {%- endif -%} ", "{% if true %}\nx\n{% endif %}\ny",
      "  {% if true %}\n  x\n  {% endif %}\n  y", "  {%+ if true %}\n  x\n  {%+ endif %}\n  y", "x  {% if true %}  y  {% endif %}  z",
      "{% if true +%}\nx\n{% endif +%}\ny", "\n\n{% set x = 1 %}\n\n{{ x }}\n\n", "{{ 1 }}\n", "{{ 1 }}\n\n", "{# c #}\nx", "  {# c #}\n  x", "x {#- c -#} y",
      "x {#+ c +#}\n y", "{#- c #}\n\nx", "{##}x", "{#-#}  x", "a\r\nb\rc\n", "{% raw %}{{ x }} {% y %}{% endraw %}", "a {%- raw -%}  {{ x }}  {%- endraw -%} b",
      "{% raw %}\n  x\n  {% endraw %}\ny", "{% raw %}{# {% endraw %}x", "{%raw%}a{%endraw%}", "  {%- raw %} a {% endraw -%}  b", "{% set x %}\n  a\n{% endset %}[{{ x }}]",
      "{%- for i in [1,2] -%}\n  {{ i }}\n{%- endfor -%}", "{% for i in [1,2] %}\n  {{ i }}\n{% endfor %}", "<{{ 'a' }}\n  {%- if true %}\n b{% endif %}>",
      "{{ '\\n' }}{{- 'x' }}", "\t{% if true %}a{% endif %}\t\n\t{% if true %}b{% endif %}", " \u2003{% if true %}a{% endif %}", "a\u00a0{{- 1 -}}\u00a0b",
      "{% macro m() %}\n x\n{% endmacro %}\n[{{ m() }}]", "{%if true%}a{%else%}b{%endif%}", "{{1}}{{2}}{{ {'a':{'b':1}}.a.b }}", "{{ {'a': {}}}}", "{{ '}}' }}", "{{ '%}' }}{% set x = '%}' %}{{ x }}",
      "{ {% if true %}{{ '{' }}{% endif %} }", "{", "}}", "a{b", "%}", "{% if true %}\n\n\nx{% endif %}", "{% if true -%}\n\n\nx{% endif %}", "{{ 1 -}}\n\n\nx", "x\n\n{{- 1 }}")

# ---------------------------------------------------------------- literals and operators
expressions("expressions",
            "1", "-1", "1_000", "0x1F", "0b101", "0o17", "00", "1.5", "1e3", "1.5e-3", "1_0.2_5", "2E2", "'a'", '"b"', "'a' 'b' \"c\"", r"'a\nb\t\\\'\"'", r"'\x41\u00e9\U0001F600\101'", r"'\q'", "'a\\\nb'",
            "true", "True", "false", "none", "None", "[]", "[1, 'a', none, true, 2.0]", "[1,]", "()", "(1,)", "(1, 2)", "1, 2", "{}", "{'a': 1, 2: 'b', none: [1], 1.5: (1,)}", "{'a': 1, 'a': 2}", "{1: 'a', true: 'b', 1.0: 'c'}", "{'a': 1,}",
            "1 + 2", "1 - 2", "2 * 3", "7 / 2", "6 / 2", "7 // 2", "-7 // 2", "7 % 3", "-7 % 3", "7 % -3", "2 ** 10", "2 ** -1", "-2 ** 2", "2 ** 3 ** 2", "7.5 // 2", "-7.5 % 2", "1e308 * 10", "0.1 + 0.2", "1 + true", "true + true", "5 // 0.3", "1 / 3", "10 ** 30", "2.0 ** 0.5", "-0.0", "0.0 * -1",
            "'a' + 'b'", "'ab' * 3", "3 * 'ab'", "'x' * 0", "'x' * -1", "[1] + [2]", "[0] * 3", "(1,) + (2,)", "'%s-%d' % ('a', 5)", "'%s' % 'x'", "'%(a)s' % {'a': 1}", "'%5.2f|%-5s|%05d' % (3.14159, 'ab', 42)", "'%%'", "'%x %X %o %e %g' % (255, 255, 8, 12345.678, 0.0001)", "'%r' % 'it'", "'%+d % d' % (5, 5)", "'%.3s' % 'abcdef'", "'%c%c' % ('a', 66)", "'%*d' % (5, 42)", "'%i' % 3.9", "'%#x' % 255", "'%10.3e|' % 12345.6789", "'%-8d|' % 5", "'%.2f' % 2.675", "'%s' % none", "'%s' % [1,2]",
            "'a' ~ 1 ~ none ~ true ~ 1.0", "1 ~ 2", "'x' ~ missing ~ 'y'", "1 < 2", "1 <= 1", "2 > 3", "1 == 1.0", "1 != 2", "1 < 2 < 3", "1 < 3 < 2", "'a' < 'b'", "[1, 2] < [1, 3]", "(1, 2) == (1, 2)", "[1] == (1,)", "{'a': 1} == {'a': 1.0}", "none == none", "'1' == 1", "true == 1", "missing == missing", "missing == none",
            "1 in [1, 2]", "3 not in [1, 2]", "'a' in 'cat'", "'a' in {'a': 1}", "'' in 'x'", "2 in (1, 2)", "1 in missing", "5 in range(10)", "true and false", "true and 'x'", "0 or 'y'", "'' or none", "not true", "not not 1", "not 1 == 2", "1 if true else 2", "1 if false", "1 if false else 2 if false else 3", "('a' if no else 'b') ~ 'c'", "not x is defined",
            "items[0]", "items[-1]", "items[10]", "items[1:]", "items[:2]", "items[::-1]", "items[::2]", "items[5:]", "items[-2:]", "items[1:1]", "items[2:0:-1]", "(1,2,3)[1:]", "text[0]", "text[-3:]", "text[4:9]", "text[::-1]", "uni[6:8]", "uni[-1]", "uni[::2]", "uni[7]", "text[100]", "''[0:5]", "items[true]", "items[none:2]", "range(10)[2]", "range(10)[-1]",
            "d.b", "d['b']", "d.a.x[1]", "d['a']['x'][4]", "d.missing", "d['missing']", "d.items", "d['items']", "d.get('b')", "d.get('zz')", "d.get('zz', 5)", "d.keys()", "d.values() | list", "d.items() | list", "d.keys() | list", "{1: 'x'}[1]", "{1: 'x'}['1']", "{'a': 1}.a", "{(1, 2): 'y'}[1, 2]", "name.nothing", "none_value.x is defined", "items.0", "nested.1.0", "nested[1][1][0]",
            "name", "missing", "none_value", "yes", "n", "big", "pi", "half", "tiny", "huge", "items", "words", "d", "uni", "html", "100000000000000000.0", "123456789012345680.0", "1e16", "1e15", "0.0001", "0.00001", "1.0", "1e100", "5e-324", "1.7976931348623157e308",
            "[uni, html, lines]", "['\\x00\\x1f\\x7f\\xa0\\u200b\\ud7ff\\U000e0001']", "[\"it's\"]", "['say \"hi\"']", "[\"it's \\\"x\\\"\"]", "['\\\\']", "('a',)", "{'k': {'n': none}}", "[missing]", "[[], {}, ()]",
            "range(3)", "range(3) | list", "range(1, 7, 2) | list", "range(5, 0, -2) | list", "range(0)|list", "dict(a=1, b='x')", "dict({'z': 0}, a=1)", "dict([('a', 1), ('b', 2)])", "(1, (2, 3))", "-n", "+n", "- 3 | abs", "-3|abs", "2 * -3", "(1 + 2) * 3", "1 - 1 - 1", "'a' ~ 'b' * 2", "1 + 2 ~ 3", "not false and false", "1 in [1] and 2 in [2]", "[1,2,3][1] + 1", "'abc'[1]|upper", "{'a': [1, {'b': 2}]}.a[1].b", "(items)[0]", "('a', 'b')[0]", "loop", "caller", "true is true", "n is defined and n > 3", "'x' if n > 3 and items else 'y'", "items is iterable and items is not string")
topic("expressions", "{% set x = 1, 2 %}{{ x }}", "{{ 1 if true }}", "{{ [1, 2, 3,] }}", "{{ 'a'\n 'b' }}", "{{ \n 1 + \n 2 }}", "{{ foo.bar if foo is defined else 'none' }}", "{{ (1).x is defined }}", "{{ a.b.c }}" , ("{{ a.b.c }}{{ a['b']['c'] }}{{ a.b['c'] }}", {"a": {"b": {"c": 1}}}),
      ("{{ a['get'] }}{{ a.get('get') }}", {"a": {"get": 5}}), "{{ 1 }}", ("{{ a['keys'] is defined }}", {"a": {}}), ("{{ a.update is defined }}{{ a.pop is defined }}", {"a": {"update": 1}}), ("{{ 'x' in a }}{{ 'y' in a.x }}", {"a": {"x": {"y": 1}}}), ("{{ é }}{{ _x1 }}", {"é": "e", "_x1": 1}), ("{{ if }}{{ for }}", {"if": 1, "for": 2}), ("{{ a is defined }}", {"a": None}), ("{{ range }}", {"range": "mine"}))

# ---------------------------------------------------------------- statements
topic("statements",
      "{% if n > 5 %}a{% elif n > 3 %}b{% else %}c{% endif %}", "{% if n < 5 %}a{% elif n > 6 %}b{% elif true %}d{% else %}c{% endif %}", "{% if missing %}a{% else %}b{% endif %}", "{% if '' or 0 or none or [] or {} %}a{% endif %}", "{% if n %}{% if no %}x{% else %}y{% endif %}{% endif %}", "{% if (1, 2) %}t{% endif %}", "{% if 1, 2 %}t{% endif %}",
      "{% for x in items %}{{ x }}{% endfor %}", "{% for x in [] %}{{ x }}{% else %}none{% endfor %}", "{% for x in items %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }};{% endfor %}", "{% for x in items %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }};{% endfor %}", "{% for x in items %}{{ loop.cycle('a', 'b') }}{% endfor %}", "{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{% endfor %}", "{% for x in items %}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}", "{% for x in items if x > 1 %}{{ x }}{{ loop.length }}{{ loop.last }}{% endfor %}", "{% for x in items if x > 5 %}{{ x }}{% else %}nothing{% endfor %}",
      "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", "{% for k in d %}{{ k }}{% endfor %}", "{% for (a, b) in [(1, 2), (3, 4)] %}{{ a }}{{ b }}{% endfor %}", "{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}", "{% for c in 'añ😀' %}[{{ c }}]{% endfor %}", "{% for x in range(3) %}{% for y in range(x) %}{{ x }}{{ y }}{{ loop.index }}{% endfor %};{% endfor %}", "{% for x in missing %}{{ x }}{% else %}e{% endfor %}", "{% for x in (1, 2) %}{{ x }}{% endfor %}", "{% for x in 1, 2 %}{{ x }}{% endfor %}", "{% for x in items|sort %}{{ x }}{% endfor %}",
      "{% for x in items %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% endfor %}", "{% for x in items %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% endfor %}", "{% for x in items %}{% break %}{% else %}e{% endfor %}", "{% for x in items %}{% continue %}{% else %}e{% endfor %}", "{% for x in items %}{% for y in items %}{% if y == 1 %}{% break %}{% endif %}{{ y }}{% endfor %};{% endfor %}", "{% for x in items %}{% set q %}{% break %}{% endset %}{% endfor %}[{{ q }}]", "{% for x in items %}{% filter upper %}a{% if x == 1 %}{% continue %}{% endif %}b{% endfilter %}{% endfor %}", "{% for x in [1] %}{% for y in [] %}{% else %}{% break %}{% endfor %}n{% endfor %}",
      "{% for x in [[1, [2]], [3]] recursive %}({{ loop.depth }}{% if x is iterable %}{{ loop(x) }}{% else %}{{ x }}{% endif %}){% endfor %}", "{% for p in [{'n': 1, 'c': [{'n': 2, 'c': []}]}] recursive %}{{ p.n }}{% if p.c %}[{{ loop(p.c) }}]{% endif %}{% endfor %}",
      "{% set x = 1 %}{{ x }}", "{% set x, y = 1, 2 %}{{ x }}{{ y }}", "{% set (x, y) = (1, 2) %}{{ x + y }}", "{% set x = [1, 2] %}{{ x }}", "{% set x = 'a' if yes else 'b' %}{{ x }}", "{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}", "{% for i in [1, 2] %}{{ y }}{% set y = i %}{{ y }}{% endfor %}", "{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}", "{% if false %}{% set x = 2 %}{% endif %}{{ x is defined }}", "{% set name = 'mine' %}{{ name }}", "{% for name in ['a'] %}{{ name }}{% endfor %}{{ name }}", "{% set x %}a{{ n }}b{% endset %}{{ x }}{{ x is string }}", "{% set x | upper %}abc{% endset %}{{ x }}", "{% set x | upper | replace('B', '_') %}abc{% endset %}{{ x }}", "{% set x | trim | length %}  abc {% endset %}{{ x + 1 }}", "{% set a = 1 %}{{ a }}",
      "{% set ns = namespace(x=1) %}{% for i in items %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}", "{% set ns = namespace() %}{% set ns.a = 1 %}{% set ns.b = ns.a + 1 %}{{ ns.b }}{{ ns.c is defined }}{{ ns['a'] }}", "{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns }}", "{% set ns = namespace(found=false) %}{% for i in items %}{% if i == 1 %}{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.found }}", "{% set ns = namespace(a=1, b=2) %}{% set ns.a, ns.b = ns.b, ns.a %}{{ ns.a }}{{ ns.b }}", "{% set ns = namespace(t='') %}{% set ns.t %}block{% endset %}{{ ns.t }}", "{% set ns = namespace(items=[]) %}{% set ns.items = ns.items + [1] %}{{ ns.items }}",
      "{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q is defined }}", "{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}", "{% with a = n %}{% with a = a + 1 %}{{ a }}{% endwith %}{{ a }}{% endwith %}", "{% with a, b = (1, 2) %}{{ a }}{{ b }}{% endwith %}", "{% filter upper %}a{{ name }}{% endfilter %}", "{% filter replace('a', 'b') | upper %}aac{% endfilter %}", "{% filter trim %}  x {% endfilter %}", "{% print n, name %}", "{% generation %}a{{ n }}{% endgeneration %}", "{% for m in items %}{% generation %}{{ m }}{{ loop.index }}{% endgeneration %}{% endfor %}", "{% generation %}{% set q = 1 %}{% endgeneration %}{{ q is defined }}", "{%- generation -%} x {%- endgeneration -%} y", "{% block a %}x{{ n }}{% endblock %}", "{% block a %}x{% endblock a %}", "{% for i in [1] %}{% block b scoped %}{{ i }}{% endblock %}{% endfor %}", "{% for i in [1] %}{% block b %}{{ i }}{{ n }}{% endblock %}{% endfor %}", "{% set t = 5 %}{% block a %}{{ t }}{% endblock %}", "{% autoescape false %}{{ html }}{% endautoescape %}",
      "{% if yes %}: {% endif %}", "{% for x in items: %}{{ x }}{% endfor %}", "{% if yes: %}a{% endif %}", "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.reset() }}{{ c.current }}", "{% set j = joiner() %}{% for i in items %}{{ j() }}{{ i }}{% endfor %}", "{% set j = joiner('|') %}{{ j() }}a{{ j() }}b", "{% for x in items|map('string') %}{{ loop.length }}{{ x }}{{ loop.last }}{% endfor %}", "{% for x in items %}{{ loop }}{% endfor %}", "{% for x in people|groupby('age') %}{{ x.grouper }}:{{ x.list|length }};{% endfor %}", "{% set l = [] %}{% for i in items %}{% set l = l + [i] %}{% endfor %}{{ l }}", "{{ loop is defined }}{% for i in [1] %}{{ loop is defined }}{% endfor %}", "{% for a in [1,2] %}{% set o = loop %}{% for b in [1,2] %}{{ o.index }}{{ loop.index }} {% endfor %}{% endfor %}", "{% for i in range(3) %}{{ 'x' if not loop.last }}{% endfor %}", "{% if true %}{% if false %}{{ 1|nofilter }}{% endif %}{% endif %}ok", "{{ 1|nofilter if false else 2 }}", "{% if false %}{{ x is notest }}{% endif %}ok")

# ---------------------------------------------------------------- macros
topic("macros",
      "{% macro m() %}x{% endmacro %}{{ m() }}{{ m() }}", "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m(1) }}{{ m(a=2) }}{{ m() }}", "{% macro m(a, b=2, c='x') %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }};{{ m(1, c=3) }};{{ m(1, 5, 6) }}", "{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}", "{% macro m(a=b, b=1) %}{{ a is defined }}{{ b }}{% endmacro %}{{ m() }}", "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}", "{% macro m(a) %}{{ a }}{{ varargs|length }}{{ kwargs.k }}{% endmacro %}{{ m(1, 2, 3, k='v') }}",
      "{% macro m(x) %}{{ n }}{{ x }}{% endmacro %}{{ m(1) }}", "{% set g = 1 %}{% macro m() %}{{ g }}{% endmacro %}{% set g = 2 %}{{ m() }}", "{% macro m() %}{% set inner = 5 %}{{ inner }}{% endmacro %}{{ m() }}{{ inner is defined }}", "{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5) }}", "{% macro a() %}a{{ b() }}{% endmacro %}{% macro b() %}b{% endmacro %}{{ a() }}", "{% for i in items %}{% macro m() %}{{ i }}{% endmacro %}{{ m() }}{% endfor %}", "{% macro outer() %}{% macro inner() %}i{% endmacro %}{{ inner() }}{% endmacro %}{{ outer() }}",
      "{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}body{% endcall %}", "{% macro m(x) %}{{ x }}[{{ caller(x) }}]{% endmacro %}{% call(y) m(3) %}{{ y * 2 }}{% endcall %}", "{% macro m() %}{% for i in [1, 2] %}{{ caller(i, b=i) }}{% endfor %}{% endmacro %}{% call(a, b=0) m() %}{{ a }}{{ b }};{% endcall %}", "{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}", "{% macro m() %}{% if caller %}{{ caller() }}{% else %}none{% endif %}{% endmacro %}{{ m() }}{% call m() %}c{% endcall %}", "{% set v = 1 %}{% macro m() %}{% set v = 2 %}{{ caller() }}{% endmacro %}{% call m() %}{{ v }}{% endcall %}", "{% macro m(caller=none) %}{{ caller is none }}{% endmacro %}{{ m() }}",
      "{% macro m(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m(*[1, 2]) }}{{ m(**{'a': 3, 'b': 4}) }}{{ m(1, *[2]) }}{{ m(1, **{'b': 2}) }}", "{{ m is defined }}{% macro m() %}{% endmacro %}{{ m is defined }}{{ m is callable }}", "{% macro m(a, b=1) %}{{ varargs }}{% endmacro %}{{ m.name }}{{ m.arguments }}{{ m.catch_kwargs }}{{ m.catch_varargs }}{{ m.caller }}", "{% macro m() %}{% endmacro %}{{ m }}", "{% macro m() %}  x  {% endmacro %}{{ m()|trim }}", "{% macro m() -%}\n  x\n{%- endmacro %}[{{ m() }}]", "{% macro m(x) %}{% if x %}a{% else %}b{% endif %}{% endmacro %}{{ m(true) ~ m(false) }}", "{% set r = [] %}{% macro m(x) %}{{ x|length }}{% endmacro %}{{ m(r) }}", "{% macro m(x) %}{% set x = x + 1 %}{{ x }}{% endmacro %}{{ m(1) }}", "{% macro m(loop) %}{{ loop }}{% endmacro %}{{ m(4) }}", "{% for i in [1] %}{% macro m() %}{{ loop.index }}{% endmacro %}{{ m() }}{% endfor %}", "{% macro m(a) %}{{ a }}{% endmacro %}{{ [1,2]|map('string')|map('upper')|join(m('-')) }}", "{% macro a(x) %}<{{ x }}>{% endmacro %}{% set f = a %}{{ f(1) }}", "{% macro m() %}{% generation %}g{% endgeneration %}{% endmacro %}{{ m() }}", "{{ 1 }}")

# ---------------------------------------------------------------- filters
expressions("filters",
            "-5|abs", "-5.5|abs", "true|abs", "d|attr('b')", "name|attr('upper')()", "[1,2,3,4,5]|batch(2)|list", "[1,2,3,4,5]|batch(2, 'x')|list", "'hELLO wORLD'|capitalize", "'ß'|capitalize", "'ab'|center(6)", "'abc'|center(6)", "'abc'|center(7)", "'x'|center", "items|count", "missing|default('x')", "none_value|default('x')", "none_value|default('x', true)", "''|d('x', true)", "missing|d", "missing|default(default_value='q')", "0|default(1, boolean=true)",
            "{'b': 1, 'A': 2, 'c': 0}|dictsort", "{'b': 1, 'A': 2, 'c': 0}|dictsort(true)", "{'b': 1, 'A': 2, 'c': 0}|dictsort(false, 'value')", "{'b': 1, 'A': 2}|dictsort(reverse=true)", "{'b': 1, 'A': 2}|dictsort(by='value')", "html|e", "html|escape", "html|forceescape", "(html|e)|e", "(html|safe)|e", "(html|safe)|forceescape", "1|filesizeformat", "999|filesizeformat", "1000|filesizeformat", "13500000|filesizeformat", "1024|filesizeformat(true)", "1500000000000|filesizeformat", "0|filesizeformat", "items|first", "[]|first", "'abc'|first", "d|first", "'1.5'|float", "'x'|float", "'x'|float(2.5)", "7|float", "'1e3'|float", "' 1_0.5 '|float", "'inf'|float", "'nan'|float", "none|float", "true|float",
            "'%s and %s'|format('a', 'b')", "'%(x)s'|format(x=1)", "'%d%%'|format(5)", "people|groupby('city')|list|length", "people|groupby('age')", "people|groupby('city', default='none')", "people|groupby('city', case_sensitive=true, default='')|map('first')|list", "lines|indent", "lines|indent(2)", "lines|indent(2, true)", "lines|indent(2, true, true)", "lines|indent('> ')", "lines|indent(width=1, first=true)", "lines|indent(blank=true)", "'a\\n'|indent", "''|indent(4, true)", "'42'|int", "'42.9'|int", "'x'|int", "'x'|int(5)", "3.99|int", "-3.99|int", "'0x1f'|int(base=16)", "'ff'|int(0, 16)", "'101'|int(base=2)", "none|int", "true|int", "' 12 '|int", "'1_000'|int", "''|int", "'-5'|int", "'inf'|int", "[]|int(3)",
            "items|join", "items|join(', ')", "people|join('-', attribute='name')", "people|join(attribute='age')", "'abc'|join('.')", "[1, none, true]|join('|')", "[]|join('x')", "items|join(1)", "items|last", "[]|last", "'abc'|last", "range(4)|last", "(1,2)|last", "'abc'|length", "uni|length", "d|length", "[]|length", "missing|length", "'abc'|list", "d|list", "range(3)|list", "(1,2)|list", "missing|list", "'ABCé'|lower", "42|lower", "none|upper", "d|items|list", "missing|items|list", "{}|items|list",
            "people|map(attribute='name')|list", "people|map(attribute='city', default='?')|list", "words|map('upper')|list", "words|map('replace', 'A', 'z')|list", "[]|map('upper')|list", "missing|map('upper')|list", "nested|map('first')|list", "nested|map(attribute=0)|list", "nested|map(attribute='1')|list", "[{'a': {'b': 1}}]|map(attribute='a.b')|list", "['1', '2']|map('int')|sum", "[1.5, 2]|map('round')|list", "items|map('string')|join('+')", "items|max", "items|min", "words|max", "words|min(case_sensitive=true)", "people|max(attribute='age')", "[]|max", "people|min(attribute='age')",
            "[1,2,3,4]|reject('odd')|list", "[1,2,0,none]|reject|list", "people|rejectattr('city')|map(attribute='name')|list", "people|rejectattr('age', 'gt', 20)|map(attribute='name')|list", "'aaa'|replace('a', 'b')", "'aaa'|replace('a', 'b', 2)", "'abc'|replace('', '-')", "'abc'|replace('', '-', 2)", "''|replace('', 'x')", "42|replace('4', 'x')", "'aXbX'|replace('X', '')", "none|replace('N', 'n')", "'abc'|reverse", "uni|reverse", "items|reverse|list", "(1,2)|reverse|list", "2.5|round", "3.5|round", "2.675|round(2)", "42|round", "42.55|round(1, 'floor')", "42.51|round(1, 'ceil')", "1234.5|round(-2)", "-2.5|round", "1e20|round", "0.05|round(1)", "1|round(2)", "7|round(method='ceil')",
            "html|safe", "('<' |safe) + '<'", "'<' + ('<'|safe)", "('<%s>'|safe) % '<'", "('<'|safe) ~ '<'", "('<'|safe) * 2", "['<'|safe]", "('a,b'|safe).split(',')", "('<'|safe)|upper", "('x'|safe).join(['<', '>'])", "('x'|safe)[0]", "('<'|safe).replace('<', '&')", "('{}'|safe).format('<')", "('<'|safe) == '<'", "('a'|safe)|replace('a', '<')", "{'<'|safe: 1}['<']", "('<a>'|safe)|string", "('<'|safe)|tojson", "[1,2,3,4]|select('odd')|list", "[1,2,0,none,'']|select|list", "items|select('gt', 1)|list", "items|select('in', [1, 2])|list", "items|select('==', 2)|list", "items|select('divisibleby', 2)|list", "words|select('equalto', 'A')|list", "[1, 'a', none]|select('string')|list", "people|selectattr('city')|map(attribute='name')|list", "people|selectattr('age', 'equalto', 30)|map(attribute='name')|list", "people|selectattr('city', 'defined')|list|length", "people|selectattr('name', 'in', ['Ann', 'Cy'])|map(attribute='age')|list", "missing|selectattr('x')|list",
            "[1,2,3,4,5,6,7]|slice(3)|list", "[1,2,3,4,5,6,7]|slice(3, 'x')|list", "[1]|slice(3)|list", "items|sort", "items|sort(reverse=true)", "words|sort", "words|sort(case_sensitive=true)", "words|sort(true)", "people|sort(attribute='age')|map(attribute='name')|list", "people|sort(attribute='age,name')|map(attribute='name')|list", "people|sort(attribute='age', reverse=true)|map(attribute='name')|list", "'cab'|sort", "d|sort", "[[2, 1], [1, 2]]|sort", "[0.5, 0, true]|sort", "[]|sort", "42|string", "none|string", "[1]|string", "1.0|string", "'<p>Hello  <b>World</b></p> &amp; x <!-- c --> y'|striptags", "'a < b'|striptags", "items|sum", "people|sum(attribute='age')", "items|sum(start=10)", "[]|sum", "[0.1, 0.2]|sum", "nested|sum(start=[])", "'hello world-foo (bar)'|title", "'HELLO'|title", "\"it's\"|title", "uni|title", "'a_b c'|title", "spaced|trim", "'xxaxx'|trim('x')", "'abcba'|trim('ab')", "42|trim", "none|trim", "missing|trim",
            "text|truncate(9)", "text|truncate(9, true)", "text|truncate(11, false, '')", "text|truncate(14, leeway=0)", "text|truncate(15, false, '!', 0)", "text|truncate(100)", "text|truncate(17)", "'abcdefghij'|truncate(5, leeway=0)", "uni|truncate(7, true, '…', 0)", "[1,1,2,'a','A']|unique|list", "words|unique(case_sensitive=true)|list", "people|unique(attribute='age')|map(attribute='name')|list", "'abcé'|upper", "'ß'|upper", "'ﬁ'|upper", "'ΑΣ'|lower", "'ΑΣΑ Σ'|lower", "'İ'|lower", "'ǆ'|title", "'a b&c/d?é'|urlencode", "{'a': 1, 'b c': 'x&y'}|urlencode", "[('a', 1), ('b', 2)]|urlencode", "42|urlencode", "text|wordcount", "'a-b_c  d'|wordcount", "''|wordcount", "{'a': 1, 'b': none, 'c': '<\"'}|xmlattr", "{'a': 1}|xmlattr(false)", "{}|xmlattr", "items|list|length", "text|upper|lower|title", "(text|upper)[0:3]", "text.split()|map('capitalize')|join(' ')", "d.keys()|list|sort", "d.values()|list|length", "'x'|default('y')|upper", "1|string ~ 'a'", "-1|abs + 1")
topic("filters", "{% set g = words|map('upper') %}{{ g|join }}{{ g|join }}", "{% set g = items|select('odd') %}{{ g|list }}{{ g|list }}", "{{ items|map('upper') is iterable }}{{ items|map('upper') is sequence }}", "{% for b in items|batch(2) %}{{ b|join(',') }};{% endfor %}", "{{ (words|map('lower')|sort)[0] }}", "{{ words|map('lower')|unique|sort|join }}", "{{ 'x'|upper|nothing if false else 1 }}", "{% set r = items|reverse %}{{ r|list }}{{ r|list }}", "{{ people|map(attribute='age')|select('gt', 10)|list }}", "{{ missing|truncate(5) }}", "{{ [1]|truncate(5) }}", "{{ range(9)[2:5] }}{{ range(9)[::-2] }}{{ (range(9)[5::-1])[::2]|list }}", "{{ -1|round(-1, 'ceil') }}", "{% set g = 5|map('upper') %}{% set h = items|map('nope') %}{% set i = 5|batch(2) %}ok", "{{ ['b']|max(attribute='x') }}", "{{ 'a' in d.keys() }}{{ 1 in d.keys() }}", "{{ 'upper' is filter }}{{ 'nope' is filter }}{{ 'odd' is test }}{{ 'nope' is test }}")

# ---------------------------------------------------------------- tojson
expressions("tojson", "d|tojson", "d|tojson(indent=2)", "d|tojson(indent=0)", "d|tojson(sort_keys=true)", "d|tojson(ensure_ascii=true)", "uni|tojson", "uni|tojson(ensure_ascii=true)", "html|tojson", "none|tojson", "true|tojson", "1|tojson", "1.0|tojson", "1e22|tojson", "1e-7|tojson", "big|tojson", "[]|tojson", "{}|tojson", "[]|tojson(indent=4)", "{}|tojson(indent=4)", "[[], {}]|tojson(indent=2)", "[1, [2, {'a': []}]]|tojson(indent=1)", "{'a': 1, 'b': [1,2]}|tojson(separators=(',', ':'))", "{'a': 1, 'b': [1,2]}|tojson(separators=[', ', ' = '])", "{'a': [1]}|tojson(indent=2, separators=(',', ':'))", "{'b': {'d': 1, 'c': 2}, 'a': 0}|tojson(sort_keys=true, indent='\\t')", "{2: 'a', none: 'b', false: 'c', 1.5: 'd'}|tojson", "(1, 2)|tojson", "'\\x00\\x1f\\x7f\\x08\\x0c\\n\\r\\t\"\\\\/'|tojson", "'\\u2028\\u2029'|tojson", "[1.5, 'é', none]|tojson(ensure_ascii=true, indent=2)", "'inf'|float|tojson", "'-inf'|float|tojson", "'nan'|float|tojson", "d|tojson|length", "(d|tojson)[0]", "items|tojson(indent=none)", "items|tojson(indent=true)", "people|tojson", "people|tojson(indent=2)", "range(3)|list|tojson", "d|tojson(false, 2)", "'a'|upper|tojson", "dict(a=1)|tojson", "d.a.x|tojson(indent='--')", "123456789012345678901234567890|tojson", "-0.0|tojson", "0.1|tojson")

# ---------------------------------------------------------------- tests
expressions("tests", *[f"{value} is {test}" for test in ("boolean", "callable", "defined", "undefined", "none", "number", "integer", "float", "string", "mapping", "sequence", "iterable", "true", "false", "escaped")
                       for value in ("1", "1.5", "true", "false", "none", "'a'", "[]", "{}", "(1,)", "missing", "range(3)", "d.items()", "namespace()", "('a'|safe)", "range")],
            "3 is odd", "4 is odd", "4 is even", "-1 is odd", "6 is divisibleby 3", "6 is divisibleby(4)", "1 is eq 1", "1 is equalto(2)", "1 is ne 2", "1 is lt 2", "1 is lessthan 1", "2 is gt 1", "2 is greaterthan(3)", "1 is le 1", "1 is ge 2", "1 is in [1, 2]", "'a' is in 'abc'", "1 is not in [1]", "'abc' is lower", "'ABC' is upper", "'aB' is lower", "'1' is upper", "1 is lower", "none is sameas none", "true is sameas true", "1 is sameas true", "[] is sameas []", "items is sameas items", "1 is not odd", "1 is not none", "not 1 is none", "n is defined and n is odd", "n is odd or n is even", "missing is not defined", "d.b is defined", "d.zz is defined", "d['zz'] is defined", "items[0] is defined", "items[9] is defined", "1 is eq(1) and 2 is eq 2", "'x' is string and 'x' is not mapping", "n is divisibleby 7 == true", "items|length is gt 2", "(items|length) is gt(2)", "n is number", "5 is odd == true", "1 is number")

# ---------------------------------------------------------------- methods
expressions("methods", "'hello world'.capitalize()", "'ß'.casefold()", "'ab'.center(5, '*')", "'ab'.center(6)", "'banana'.count('a')", "'banana'.count('an', 2)", "'abc'.count('')", "'abc'.endswith('c')", "'abc'.endswith(('x', 'bc'))", "'abc'.endswith('b', 0, 2)", "'a\\tb'.expandtabs(4)", "'a\\tbc\\td'.expandtabs()", "'banana'.find('n')", "'banana'.find('n', 3)", "'banana'.find('x')", "uni.find('東')", "'{} {}'.format(1, 'a')", "'{1}{0}'.format('a', 'b')", "'{x} {y[0]} {z.a}'.format(x=1, y=[2], z={'a': 3})", "'{:>5}|{:<5}|{:^5}|{:*^7}'.format('a', 'b', 'c', 'd')", "'{:05d} {:+d} {:x} {:#b} {:,}'.format(42, 5, 255, 5, 1234567)", "'{:.2f} {:8.3f} {:e} {:g} {:%}'.format(3.14159, 2.5, 12345.678, 0.00001, 0.25)", "'{{}} {!r} {!s}'.format('a', 'b')", "'{:{}}|'.format('a', 5)", "'{:.2}'.format('abc')", "'{:d}'.format(true)", "'{}'.format(none)", "'{}'.format(1.0)", "'{:.3}'.format(3.14159)", "'{:_}'.format(1234567)", "'{:=+8d}'.format(42)", "'{:>08.2f}'.format(3.14159)", "'{a}'.format_map({'a': 1})", "'banana'.index('n')", "'ab1'.isalnum()", "'ab'.isalpha()", "'é東'.isalpha()", "'a1'.isalpha()", "'abc'.isascii()", "'é'.isascii()", "'12'.isdecimal()", "'12'.isdigit()", "'²'.isdigit()", "'½'.isnumeric()", "'_a1'.isidentifier()", "'1a'.isidentifier()", "'abc'.islower()", "'aBc'.islower()", "'ab\\n'.isprintable()", "''.isprintable()", "' \\t'.isspace()", "''.isspace()", "'Hello World'.istitle()", "'Hello world'.istitle()", "'ABC'.isupper()", "', '.join(['a', 'b'])", "''.join('abc')", "'-'.join(d)", "'ab'.ljust(5, '.')", "'ABC'.lower()", "spaced.lstrip()", "'xxab'.lstrip('x')", "'<|a|>'.lstrip('<|')", "'a=b=c'.partition('=')", "'abc'.partition('x')", "'abc'.removeprefix('a')", "'abc'.removeprefix('b')", "'abc'.removesuffix('c')", "'aaa'.replace('a', 'b')", "'aaa'.replace('a', 'b', 1)", "'abc'.replace('', '-')", "'banana'.rfind('n')", "'banana'.rindex('n')", "'ab'.rjust(5)", "'a=b=c'.rpartition('=')", "'abc'.rpartition('x')", "'a b c'.rsplit(' ', 1)", "' a  b '.rsplit()", "'a  b c'.rsplit(none, 1)", "spaced.rstrip()", "'abxx'.rstrip('x')", "'a,b,,c'.split(',')", "' a  b '.split()", "'a b c'.split(' ', 1)", "'a  b c'.split(none, 1)", "''.split()", "''.split(',')", "'a</think>b'.split('</think>')[-1]", "'abc'.split('b', maxsplit=1)", "'a b'.split(sep=' ')", "'ab'.split('abc')", "lines.splitlines()", "lines.splitlines(true)", "'a\\r\\nb\\x0bc\\x1cd\\u2028e'.splitlines()", "'abc'.startswith('a')", "'abc'.startswith('b', 1)", "'abc'.startswith(('x', 'a'))", "'abc'.startswith('')", "''.startswith('a')", "spaced.strip()", "'xyax'.strip('xy')", "'\\u3000a\\u00a0'.strip()", "'aBc'.swapcase()", "\"they're bill's\".title()", "'hello WORLD'.title()", "'abc'.upper()", "'42'.zfill(5)", "'-42'.zfill(5)", "'+1'.zfill(4)", "uni.upper()", "uni.split(' ')", "uni.center(20, '–')", "uni.startswith('Gr')", "uni.rfind(' ')",
            "d.get('a').get('x')", "d.get(1)", "d.get('b', none)", "d.keys()", "d.values()", "{'a': 1}.items()", "d.copy() == d", "{}.keys()|list", "items.index(2)", "items.count(1)", "[1, 1, 2].count(1)", "(1, 2).index(2)", "items.copy()", "range(5).index(3)", "1.5.is_integer()", "(2.0).is_integer()", "('a' ~ 'b').upper()", "'a'.upper().lower().title()", "'a b'.split()[1].upper()", "text.split(' ')|length", "text.split(' ')[:2]|join('+')", "('x' * 3).join(['a', 'b'])", "name.upper", "[name.upper] | length", "'abc'['upper']()", "d['get']('b')", "text.title()", "1")
topic("methods", "{% set f = name.upper %}{{ f() }}", "{% for k, v in d.items() %}{{ k }}{% endfor %}", "{{ 1 }}", ("{{ m.content.split('</think>')[-1].lstrip('\\n') }}", {"m": {"content": "<think>\nx</think>\n\nanswer"}}), ("{{ m.content.strip().startswith('a') }}", {"m": {"content": " abc"}}), ("{% for t in tools %}{{ t.function.parameters.properties.items()|list }}{% endfor %}", {"tools": [{"function": {"parameters": {"properties": {"x": {"type": "int"}}}}}]}))

# ---------------------------------------------------------------- globals
topic("globals", "{{ strftime_now('%Y-%m-%d') }}", "{{ strftime_now('%d %b %Y') }}", "{{ strftime_now('%A %B %e %H:%M:%S %p %j %U %y %I') }}", "{{ strftime_now('') }}|{{ strftime_now('%%') }}", "{{ strftime_now('%-d.%-m. %f [%z%Z]') }}", "{{ strftime_now('Tag é') }}", "{% if strftime_now is defined %}{{ strftime_now('%c') }}{% endif %}", "{{ dict(a=1).a }}{{ dict().x is defined }}", "{{ range(2, 5)|list }}{{ range(5)|sum }}", "{{ namespace(a=1).a }}", "{{ cycler(1, 2).current }}", "{{ joiner('x')() }}|", "{{ raise_exception is defined }}", "{% set x = namespace %}{{ x(a=1).a }}", "{{ range(100000)|length }}")

# ---------------------------------------------------------------- refusals
topic("errors", "{{ raise_exception('no: ' ~ n) }}", "{{ raise_exception('') }}", "{{ raise_exception('Grüße {x}') }}", "{% if n > 3 %}{{ raise_exception('multi\\nline') }}{% endif %}",
      "{{ missing.x }}", "{{ missing['x'] }}", "{{ missing() }}", "{{ d.zz.y }}", "{{ d.zz() }}", "{{ missing + 1 }}", "{{ 1 + missing }}", "{{ 'a' + missing }}", "{{ missing < 1 }}", "{{ -missing }}", "{{ missing[1:] }}", "{{ none_value.x.y }}", "{{ items[9].x }}", "{{ name.zz() }}", "{{ missing|int }}", "{{ missing|float }}", "{{ (1 if false).x }}", "{{ []|first + 1 }}",
      "{{ 'a' + 1 }}", "{{ 1 + 'a' }}", "{{ none + 'a' }}", "{{ [] + {} }}", "{{ {} + {} }}", "{{ 'a' - 'b' }}", "{{ 'a' * 'b' }}", "{{ 'a' / 2 }}", "{{ 1 / 0 }}", "{{ 1 // 0 }}", "{{ 1 % 0 }}", "{{ 1.0 / 0 }}", "{{ 0 ** -1 }}", "{{ 'a' < 1 }}", "{{ none < 1 }}", "{{ [1] < ['a'] }}", "{{ {} < {} }}", "{{ -'a' }}", "{{ +'a' }}", "{{ 1 in 1 }}", "{{ 1 in 'a' }}", "{{ 'a' in none }}", "{{ 1() }}", "{{ 'a'() }}", "{{ none() }}", "{{ items() }}", "{{ items[1:2:0] }}", "{{ items['a':] }}", "{{ d[1:] }}", "{{ {[]: 1} }}", "{{ {{}: 1} }}", "{% for x in 1 %}{% endfor %}", "{% for x in none %}{% endfor %}", "{% for a, b in [1] %}{% endfor %}", "{% for a, b in [(1, 2, 3)] %}{% endfor %}", "{% set a, b = 1 %}", "{% set a, b = (1,) %}", "{% set d.x = 1 %}", "{% set missing.x = 1 %}", "{% set ns = namespace() %}{% set ns._x = 1 %}", "{{ namespace(_x=1) }}", "{{ items.append(1) }}", "{{ d.update({}) }}", "{{ d.pop('b') }}", "{{ items.sort() }}", "{{ d.setdefault('q', 1) }}", "{{ items.append.x }}",
      "{{ missing|attr('x') }}", "{{ (1, 2).copy() }}", "{{ d.keys() is filter }}", "{{ 5|map('upper')|list }}", "{{ text|truncate(5, leeway=-1) }}", "{% filter length %}abc{% endfilter %}", "{% call range(3) %}{% endcall %}", "{{ ['a']|sum(start='') }}", "{{ 5|length }}", "{{ none|length }}", "{{ none|list }}", "{{ 5|first }}", "{{ 5|join }}", "{{ none|sort }}", "{{ [1, 'a']|sort }}", "{{ [1, none]|max }}", "{{ 'a'|abs }}", "{{ 'a'|round }}", "{{ 1.5|round(1, 'up') }}", "{{ items|map }}{{ items|map|list }}", "{{ items|map('nope')|list }}", "{{ items|select('nope')|list }}", "{{ items|selectattr|list }}", "{{ items|map(foo='x')|list }}", "{{ items|items }}{{ items|items|list }}", "{{ items|dictsort }}", "{{ d|dictsort(by='x') }}", "{{ missing|tojson }}", "{{ namespace()|tojson }}", "{{ range(3)|tojson }}", "{{ {(1, 2): 3}|tojson }}", "{{ {1: 1, 'a': 2}|tojson(sort_keys=true) }}", "{{ items|map('string')|tojson }}", "{{ items|map('string')|length }}", "{{ items|map('string')|last }}", "{{ 5|indent }}", "{{ none|indent }}", "{{ 5|truncate }}", "{{ text|truncate(2) }}", "{{ [1, 'a']|sum }}", "{{ ['a']|sum }}", "{{ 'a'|filesizeformat }}", "{{ [[]]|unique|list }}", "{{ '%d'|format('a') }}", "{{ '%s %s' % 'a' }}", "{{ '%s' % ('a', 'b') }}", "{{ '%q' % 1 }}", "{{ '%' % 1 }}", "{{ '%(a' % {} }}", "{{ '%(a)s' % {} }}", "{{ '{'.format(1) }}", "{{ '}'.format(1) }}", "{{ '{} {}'.format(1) }}", "{{ '{x}'.format(1) }}", "{{ '{:d}'.format('a') }}", "{{ '{:q}'.format(1) }}", "{{ '{:d}'.format(1.5) }}", "{{ '{:5}'.format(none) }}", "{{ 'a'.split('') }}", "{{ 'a'.join([1]) }}", "{{ 'a'.join([none]) }}", "{{ 'a'.index('b') }}", "{{ items.index(9) }}", "{{ 'a'.center('x') }}", "{{ 'a'.startswith(1) }}", "{{ 'a'.startswith(none) }}", "{{ 'a'.replace('a') }}", "{{ 'a'.upper(1) }}", "{{ 'a'.nope() }}", "{{ d.get() }}", "{{ 'a'|upper(1) }}", "{{ 'a'|replace('a') }}", "{{ 'a'|replace(foo=1) }}", "{{ 'a'|default(1, 2, 3) }}", "{{ 'abc' is odd }}", "{{ none is odd }}", "{{ 1 is divisibleby 0 }}", "{{ 1 is divisibleby }}", "{{ 1 is in 5 }}",
      "{{ range(100001) }}", "{{ range('a') }}", "{{ range(1, 2, 0) }}", "{{ range() }}", "{{ range(1.5) }}", "{{ dict(1) }}", "{{ cycler() }}", "{{ strftime_now() }}", "{{ strftime_now(5) }}", "{% for x in items %}{{ loop.cycle() }}{% endfor %}", "{% for x in items %}{{ loop(items) }}{% endfor %}", "{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", "{% macro m(a) %}{% endmacro %}{{ m(b=1) }}", "{% macro m(a) %}{% endmacro %}{{ m(1, a=2) }}", "{% macro m() %}{% endmacro %}{% call m() %}{% endcall %}", "{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}", "{% macro m(a) %}{{ a.x }}{% endmacro %}{{ m() }}", "{% call(x) missing() %}{% endcall %}", "{% include 'x' %}", "{% import 'x' as y %}", "{% from 'x' import y %}", "{% extends 'x' %}", "{% if true %}{{ 1|nofilter }}{% endif %}", "{{ 1|nofilter if true else 2 }}", "{% if true %}{{ 1 is notest }}{% endif %}", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns }}")

# ---------------------------------------------------------------- syntax errors
topic("syntax", "{{ 1", "{{ 1 %}", "{% if %}{% endif %}", "{% if true %}", "{% if true %}{% endfor %}", "{% endif %}", "{% else %}", "{% foo %}", "{% %}", "{{ }}", "{% for x %}{% endfor %}", "{% for x in %}{% endfor %}", "{% for 1 in x %}{% endfor %}", "{% for x in y %}{% else %}", "{% set %}", "{% set 1 = 2 %}", "{% set x = %}", "{% set true = 1 %}", "{% set None = 1 %}", "{% set a.b.c = 1 %}", "{% for a.b in c %}{% endfor %}", "{{ 'abc }}", "{{ \"abc }}", "{# abc", "{% raw %}abc", "{{ a b }}", "{{ 1 2 }}", "{{ [1 }}", "{{ (1 }}", "{{ {1 }}", "{{ ] }}", "{{ ) }}", "{{ (1] }}", "{{ {'a' 1} }}", "{{ {'a': } }}", "{{ a. }}", "{{ a.'b' }}", "{{ a[ }}", "{{ a[ ] + }}", "{{ a | }}", "{{ a | 1 }}", "{{ a is }}", "{{ a is b is c }}", "{{ 1 + }}", "{{ + }}", "{{ not }}", "{{ a if }}", "{{ a if b else }}", "{{ @ }}", "{{ a ! b }}", "{{ $ }}", "{{ a ? b : c }}", "{{ `a` }}", "{{ a & b }}", "{{ f(a=1, 2) }}", "{{ f(**a, b) }}", "{{ f(*a, *b) }}", "{{ f(a b) }}", "{{ 1|nofilter }}", "{{ 1 is notest }}", "{% for x in y %}{{ x|nofilter }}{% endfor %}", "{% if x %}{% for y in z %}{{ y|nofilter }}{% endfor %}{% endif %}", "{% macro %}{% endmacro %}", "{% macro m %}{% endmacro %}", "{% macro m(a, a) %}{% endmacro %}", "{% macro m(a=1, b) %}{% endmacro %}", "{% macro m(1) %}{% endmacro %}", "{% macro m() %}", "{% macro m(caller) %}{{ caller() }}{% endmacro %}", "{% call x %}{% endcall %}", "{% call 1 %}{% endcall %}", "{% filter %}{% endfilter %}", "{% filter 1 %}{% endfilter %}", "{% filter nofilter %}{% endfilter %}", "{% break %}", "{% continue %}", "{% for x in y %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}", "{% for x in y %}{% generation %}{% break %}{% endgeneration %}{% endfor %}", "{% for loop in x %}{% endfor %}", "{% for x in y %}{% set loop = 1 %}{% endfor %}", "{% block a %}{% endblock %}{% block a %}{% endblock %}", "{% block a-b %}{% endblock %}", "{% generation %}", "{% with a %}{% endwith %}", "{% with a = 1 b = 2 %}{% endwith %}", "{% do x %}", "{% trans %}x{% endtrans %}", r"{{ '\x4' }}", r"{{ '\u12' }}", "{% set x = 1 %}{% endset %}", "{% set x %}", "{% if true %}{% else %}{% else %}{% endif %}", "{% if true %}{% elif %}{% endif %}", "{{ a.1b }}", "{{ 07 }}", "{{ 1__0 }}", "{{ a b if c }}", "{{{ a }}}", "{{ a }", "{% if a }}{% endif %}", "{% print %}{{ 1 }", "{{ {% }}", "{{ [1,, 2] }}", "{{ (,) }}", "{{ f(,) }}")


# ---------------------------------------------------------------- whole conversations, for the templates in OUT_DIR/templates
TOOLS = [
    {"type": "function", "function": {"name": "weather", "description": "Weather of a city\n(Zürich, 東京).", "parameters": {
        "type": "object", "required": ["city"], "properties": {
            "city": {"type": "string", "description": "Its \"name\""}, "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
            "days": {"type": ["integer", "null"], "default": None}}}}},
    {"type": "function", "function": {"name": "diary", "description": "Writes a meal down", "parameters": {
        "type": "object", "required": ["meals"], "properties": {
            "meals": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "grams": {"type": "number", "default": 1.5}}}},
            "tags": {"type": "array"}, "extra": {"type": "object"}, "any": {}}}}},
    {"type": "function", "function": {"name": "now", "description": "The time", "parameters": {"type": "object", "properties": {}}}}]
SYSTEM = {"role": "system", "content": " Be brief. "}
HELLO = {"role": "user", "content": "Hi! <b>Grüße</b> 😀 {{ x }} {% y %}"}
CALLS = [{"type": "function", "function": {"name": "weather", "arguments": {"city": "Zürich", "days": None, "exact": True}}},
         {"type": "function", "function": {"name": "diary", "arguments": {"meals": [{"name": "crème \"brûlée\"", "grams": 120.5}]}}}]
CONVERSATIONS = {
    "hello": ([HELLO], {}),
    "no_prompt": ([SYSTEM, HELLO], {"add_generation_prompt": False}),
    "turns": ([SYSTEM, HELLO, {"role": "assistant", "content": "Hello.\n"}, {"role": "user", "content": "And now?"}], {}),
    "parts": ([{"role": "user", "content": [{"type": "text", "text": "a "}, {"type": "image"}, {"type": "text", "text": " b"}]}], {}),
    "bad_part": ([{"role": "user", "content": [{"type": "smell"}]}], {}),
    "two_users": ([HELLO, HELLO], {}),
    "tools": ([SYSTEM, HELLO], {"tools": TOOLS}),
    "calls": ([HELLO, {"role": "assistant", "content": "", "tool_calls": CALLS}, {"role": "tool", "content": "3 °C"},
               {"role": "tool", "content": "ok"}, {"role": "assistant", "content": "Cold."}], {"tools": TOOLS}),
    "call_text": ([HELLO, {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "now", "arguments": "{}"}}]}], {}),
    "many_calls": ([HELLO, {"role": "assistant", "content": "x", "tool_calls": CALLS + CALLS}], {}),
    "thinking": ([HELLO, {"role": "assistant", "reasoning_content": "\nHm.\n", "content": "Yes."}], {"enable_thinking": True}),
    "old_name": ([HELLO, {"role": "assistant", "thinking": "Hm.", "content": "Yes."}, HELLO], {"enable_thinking": False}),
    "inline": ([HELLO, {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nYes."}], {}),
    "separator": ([HELLO, {"role": "robot", "content": "a long text that goes on and on", "parts": [HELLO]}], {"sep": "|"}),
    "nothing": ([], {}),
    "only_system": ([SYSTEM], {}),
}


def chat_rows(folder):
    for path in sorted(folder.glob("*.jinja")):
        for case, (messages, options) in CONVERSATIONS.items():
            context = {"messages": messages, "tools": None, "add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>", **options}
            row = {"template": path.name, "case": case, "context": context}
            try:
                arguments = {key: value for key, value in context.items() if key != "messages"}
                rendered, _ = ctu.render_jinja_template([messages], chat_template=path.read_text(encoding="utf-8"), **arguments)
                row["expected"] = rendered[0]
            except Exception as e:  # noqa: BLE001
                row["error"] = type(e).__name__
                if type(e).__name__ == "TemplateError":
                    row["message"] = str(e)
            yield row


def write_rows(path, rows):
    text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    print(f"{path.stem:14s} {len(rows):4d} cases, {sum('error' in row for row in rows)} refused")


def render(template, context):
    return ctu._compile_jinja_template(template).render(**context)


def main():
    out_dir = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "tests/data/jinja")
    out_dir.mkdir(parents=True, exist_ok=True)
    (out_dir / "context.json").write_text(json.dumps(CONTEXT, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name, entries in TOPICS.items():
        rows, seen = [], set()
        for template, context in entries:
            key = (template, json.dumps(context))
            if key in seen:
                continue
            seen.add(key)
            row = {"template": template}
            if context is not CONTEXT:
                row["context"] = context
            try:
                row["expected"] = render(template, context)
            except Exception as e:  # noqa: BLE001
                row["error"] = type(e).__name__
                if type(e).__name__ in ("TemplateError", "UndefinedError"):
                    row["message"] = str(e)
            if " at 0x" not in row.get("expected", ""):
                rows.append(row)
        write_rows(out_dir / f"{name}.json", rows)
    write_rows(out_dir / "chat.json", list(chat_rows(out_dir / "templates")))


if __name__ == "__main__":
    main()
