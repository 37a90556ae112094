//! One line a key: what it is called, where it goes in the model, its form, its default, its text in the reference.
//!
//! ```text
//! ["key" => field: Form, "doc"]             required; written always
//! ["key" => field: Form = "1s", "doc"]      with a default; the default is not written
//! ["key" => field: Form = (|it| …), "doc"]  with a default that hangs on the fields before it
//! ["key" => field: Maybe<Form>, "doc"]      need not be there; see the slots in `form`
//! ["key" => +list: Filled<Form>, "doc"]     adds to a list
//! ["key" >> list: Filled<Form>, "doc"]      adds to a list; is never written: a short form
//! ["key": Form, "doc"]                      read and written by hand
//! [..Keys => field]  [..Keys => *]  [..Keys]   keys that others have too: in a field, in this, by hand
//! ["key" ..Keys => field]                   keys of which the first tells the object
//! [|Cases => field]                         one of several sets of keys, told apart by the first of each
//! [at]                                      the place in the source (of a pattern)
//! ```
//!
//! `@2` before `=>` says when a key is written: 1 where nothing is said, each rank in the order of its lines.

/// A line of a table.
macro_rules! part {
    ($key:literal $(@$rank:literal)? => + $field:ident : $($rest:tt)+) => { part!($key : $($rest)+) };
    ($key:literal $(@$rank:literal)? >> $field:ident : $($rest:tt)+) => { part!($key : $($rest)+) };
    ($key:literal $(@$rank:literal)? => $($field:ident).+ : $($rest:tt)+) => { part!($key : $($rest)+) };
    ($key:literal $(@$rank:literal)? => ($($field:ident),+) : $($rest:tt)+) => { part!($key : $($rest)+) };
    ($key:literal : $slot:ty = ($usual:expr), $doc:literal) => { part!(@key $key, $slot, false, "", $doc) };
    ($key:literal : $slot:ty = $usual:literal, $doc:literal) => { part!(@key $key, $slot, false, $usual, $doc) };
    ($key:literal : $slot:ty, $doc:literal) => { part!(@key $key, $slot, <$slot as KeyField>::REQUIRED, "", $doc) };
    (@key $key:literal, $slot:ty, $required:expr, $usual:literal, $doc:literal) => {
        Part::Key(PlanKey {
            name: $key,
            kind: <$slot as KeyField>::takes,
            doc: $doc,
            required: $required,
            default: $usual,
        })
    };
    ($key:literal .. $keys:ty => $field:ident) => { Part::Shared("", <$keys as Keys>::PARTS) };
    (.. $(@$rank:literal)? $keys:ty => $($rest:tt)+) => { Part::Shared("", <$keys as Keys>::PARTS) };
    (.. $keys:ty) => { Part::Shared("", <$keys>::PARTS) };
    (| $cases:ty => $($rest:tt)+) => { Part::OneOf(<$cases as Cases>::CASES) };
    ($at:ident) => { Part::Shared("", &[]) };
}

/// Reads a line into a field.
macro_rules! get_field {
    ($d:ident $node:ident $it:ident; $key:literal $(@$rank:literal)? => + $field:ident : $slot:ty, $doc:literal) => {
        $it.$field.extend(<$slot as KeyField>::get($d, $node, $key, "").into_iter().flatten());
    };
    ($d:ident $node:ident $it:ident; $key:literal >> $field:ident : $slot:ty, $doc:literal) => {
        let more = <$slot as KeyField>::get($d, $node, $key, "").into_iter().flatten();
        $it.$field.extend(more.map(Into::into));
    };
    ($d:ident $node:ident $it:ident; $key:literal $(@$rank:literal)? => $($field:ident).+ : $slot:ty = ($usual:expr), $doc:literal) => {
        let value = <Maybe<$slot> as KeyField>::get($d, $node, $key, "").flatten();
        $it.$($field).+ = value.unwrap_or_else(|| usual_of($it, $usual));
    };
    ($d:ident $node:ident $it:ident; $key:literal $(@$rank:literal)? => $($field:ident).+ : $slot:ty $(= $usual:literal)?, $doc:literal) => {
        if let Some(value) = <$slot as KeyField>::get($d, $node, $key, concat!($($usual)?)) {
            $it.$($field).+ = value;
        }
    };
    ($d:ident $node:ident $it:ident; .. $(@$rank:literal)? $keys:ty => *) => { <$keys as Keys>::read_keys($d, $node, $it); };
    ($d:ident $node:ident $it:ident; .. $(@$rank:literal)? $keys:ty => $($field:ident).+) => {
        <$keys as Keys>::read_keys($d, $node, &mut $it.$($field).+);
    };
    ($d:ident $node:ident $it:ident; | $cases:ty => $field:ident) => {
        if let Some(value) = <$cases as Cases>::read_case($d, $node) {
            $it.$field = value;
        }
    };
    ($d:ident $node:ident $it:ident; at) => { $it.at = $node.at; };
    ($d:ident $node:ident $it:ident; $key:literal : $($by_hand:tt)+) => {};
    ($d:ident $node:ident $it:ident; .. $by_hand:ty) => {};
}

/// Writes a line from a field.
macro_rules! put_field {
    ($map:ident $it:ident; $key:literal $(@$rank:literal)? => + $field:ident : $slot:ty, $doc:literal) => {
        put_field!($map $it; $key $(@$rank)? => $field : $slot, $doc)
    };
    ($map:ident $it:ident; $key:literal $(@$rank:literal)? => $($field:ident).+ : $slot:ty = ($usual:expr), $doc:literal) => {
        if $it.$($field).+ != usual_of($it, $usual) {
            $map[rank!($($rank)?)].put($key, <$slot as Form>::write(&$it.$($field).+));
        }
    };
    ($map:ident $it:ident; $key:literal $(@$rank:literal)? => $($field:ident).+ : $slot:ty $(= $usual:literal)?, $doc:literal) => {
        let value = <$slot as KeyField>::put(&$it.$($field).+, concat!($($usual)?));
        $map[rank!($($rank)?)].put_some($key, value);
    };
    ($map:ident $it:ident; .. $(@$rank:literal)? $keys:ty => *) => { <$keys as Keys>::write_keys($it, &mut $map[rank!($($rank)?)]); };
    ($map:ident $it:ident; .. $(@$rank:literal)? $keys:ty => $($field:ident).+) => {
        <$keys as Keys>::write_keys(&$it.$($field).+, &mut $map[rank!($($rank)?)]);
    };
    ($map:ident $it:ident; | $cases:ty => $field:ident) => { <$cases as Cases>::write_case(&$it.$field, &mut $map[1]); };
    ($map:ident $it:ident; $key:literal >> $($short_form:tt)+) => {};
    ($map:ident $it:ident; $key:literal : $($by_hand:tt)+) => {};
    ($map:ident $it:ident; .. $by_hand:ty) => {};
    ($map:ident $it:ident; at) => {};
}

#[rustfmt::skip]
macro_rules! rank {
    () => { 1 };
    ($rank:literal) => { $rank };
}

/// Reads a line into a variable of a pattern.
macro_rules! get_variable {
    ($d:ident $node:ident; $key:literal $(@$rank:literal)? => $field:tt : $slot:ty $(= $usual:literal)?, $doc:literal) => {
        let $field = <$slot as KeyField>::get($d, $node, $key, concat!($($usual)?))?;
    };
    ($d:ident $node:ident; $($key:literal)? .. $(@$rank:literal)? $keys:ty => $field:ident) => {
        let mut $field = Default::default();
        <$keys as Keys>::read_keys($d, $node, &mut $field);
    };
    ($d:ident $node:ident; | $cases:ty => $field:ident) => { let $field = <$cases as Cases>::read_case($d, $node)?; };
    ($d:ident $node:ident; $at:ident) => { let $at = $node.at; };
}

/// Writes a line from a variable of a pattern.
macro_rules! put_variable {
    ($map:ident; $key:literal $(@$rank:literal)? => ($($field:ident),+) : $slot:ty, $doc:literal) => {
        let value = <$slot as KeyField>::put(&($($field.clone()),+), "");
        $map[rank!($($rank)?)].put_some($key, value);
    };
    ($map:ident; $key:literal $(@$rank:literal)? => $field:ident : $slot:ty $(= $usual:literal)?, $doc:literal) => {
        let value = <$slot as KeyField>::put($field, concat!($($usual)?));
        $map[rank!($($rank)?)].put_some($key, value);
    };
    ($map:ident; $($key:literal)? .. $(@$rank:literal)? $keys:ty => $field:ident) => { <$keys as Keys>::write_keys($field, &mut $map[rank!($($rank)?)]); };
    ($map:ident; | $cases:ty => $field:ident) => { <$cases as Cases>::write_case($field, &mut $map[1]); };
    ($map:ident; $at:ident) => { let _ = $at; };
}

/// Keys that go into the fields of a struct; with a name in the reference, those that objects share.
macro_rules! keys {
    (impl $of:ident $($rest:tt)*) => { keys! { @for $of: $of $($rest)* } };
    ($(#[$doc:meta])* struct $name:ident: $of:ty, $($rest:tt)*) => {
        $(#[$doc])*
        pub(crate) struct $name;
        keys! { @for $name: $of, $($rest)* }
    };
    (@for $name:ident: $of:ty, shared $id:literal { $($lines:tt)* }) => {
        keys! { @parts $name: $of, &[Part::Shared($id, { const LINES: &[Part] = &parts!($($lines)*); LINES })], { $($lines)* } }
    };
    (@for $name:ident: $of:ty, { $($lines:tt)* }) => {
        keys! { @parts $name: $of, &parts!($($lines)*), { $($lines)* } }
    };
    (@parts $name:ident: $of:ty, $parts:expr, { $([$($line:tt)*])* }) => {
        impl Keys for $name {
            type Of = $of;
            const PARTS: &'static [Part] = $parts;

            fn read_keys(decoder: &mut Decoder<'_>, node: &Node, it: &mut $of) {
                $(get_field!(decoder node it; $($line)*);)*
            }

            fn write_keys(it: &$of, map: &mut Map) {
                let mut ranked: [Map; 8] = Default::default();
                $(put_field!(ranked it; $($line)*);)*
                ranked.into_iter().for_each(|more| map.put_all(more));
            }
        }
    };
}

macro_rules! parts {
    ($([$($line:tt)*])*) => { [$(part!($($line)*)),*] };
}

/// A mapping whose keys go into the fields of a struct. `then` names what judges several of them together.
macro_rules! object {
    (impl $of:ident = $id:literal, { $($lines:tt)* } $($rest:tt)*) => {
        keys! { impl $of, { $($lines)* } }
        object! { @form $of: $of = $id, $($rest)* }
    };
    ($(#[$doc:meta])* struct $name:ident: $of:ty = $id:literal, { $($lines:tt)* } $($rest:tt)*) => {
        keys! { $(#[$doc])* struct $name: $of, { $($lines)* } }
        object! { @form $name: $of = $id, $($rest)* }
    };
    (@form $name:ident: $of:ty = $id:literal, $(exclude $groups:expr;)? $(then $judge:path;)?) => {
        impl $name {
            pub(crate) const OBJECT: &'static Object = &Object {
                id: $id,
                parts: <Self as Keys>::PARTS,
                groups: groups!($($groups)?),
            };
        }

        impl Form for $name {
            type Of = $of;

            fn kind() -> Kind {
                Kind::Object(Self::OBJECT)
            }

            fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<$of> {
                let mut it = <$of>::default();
                <Self as Keys>::read_keys(decoder, node, &mut it);
                $($judge(decoder, node, &mut it);)?
                Some(it)
            }

            fn write(it: &$of) -> Yaml {
                let mut map = Map::default();
                <Self as Keys>::write_keys(it, &mut map);
                map.into()
            }
        }
    };
}

macro_rules! groups {
    () => {
        &[]
    };
    ($groups:expr) => {
        $groups
    };
}

/// Mappings told apart by their first keys, each with the part of the model that it is: a pattern that is also an
/// expression. With `..Keys` after the name all have more keys, which are read and written by hand.
macro_rules! tagged {
    (impl $of:ident = $id:literal $($rest:tt)*) => { tagged! { @for $of: $of = $id $($rest)* } };
    ($(#[$doc:meta])* struct $name:ident: $of:ty = $id:literal $($rest:tt)*) => {
        $(#[$doc])*
        pub(crate) struct $name;
        tagged! { @for $name: $of = $id $($rest)* }
    };
    (@for $name:ident: $of:ty = $id:literal $(..$more:ty)?, { $($cases:tt)* }) => {
        tagged! { @cases $name: $of $(, ..$more)?, { $($cases)* } }

        impl Form for $name {
            type Of = $of;

            fn kind() -> Kind {
                Kind::Tagged(const { &Tagged {
                    id: $id,
                    cases: &[<$name as Cases>::CASES],
                } })
            }

            fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<$of> {
                <$name as Cases>::read_case(decoder, node)
            }

            fn write(value: &$of) -> Yaml {
                let mut map = Map::default();
                <$name as Cases>::write_case(value, &mut map);
                map.into()
            }
        }
    };
    (@cases $name:ident: $of:ty $(, ..$more:ty)?, {
        $($case:expr => $shape:tt, $(exclude $groups:expr,)? { [$tag:literal $($first:tt)*] $([$($line:tt)*])* })*
    }) => {
        impl Cases for $name {
            type Of = $of;
            const MORE: &'static [Part] = &parts!($([..$more])?);
            const CASES: &'static [Case] = &[$(Case {
                tags: &[$tag],
                object: &Object {
                    id: $case,
                    parts: &[part!($tag $($first)*), $(part!($($line)*),)* Part::Shared("", <$name as Cases>::MORE)],
                    groups: groups!($($groups)?),
                },
            }),*];

            #[allow(unused_parens)]
            fn read_case(decoder: &mut Decoder<'_>, node: &Node) -> Option<$of> {
                $(if node.get($tag).is_some() {
                    get_variable!(decoder node; $tag $($first)*);
                    $(get_variable!(decoder node; $($line)*);)*
                    return Some($shape);
                })*
                decoder.broken(node);
                None
            }

            #[allow(irrefutable_let_patterns, unused_parens)]
            fn write_case(value: &$of, map: &mut Map) {
                let mut ranked: [Map; 8] = Default::default();
                $(if let $shape = value {
                    put_variable!(ranked; $tag $($first)*);
                    $(put_variable!(ranked; $($line)*);)*
                    return ranked.into_iter().for_each(|more| map.put_all(more));
                })*
            }
        }
    };
}

/// Such keys within a mapping that has others, too.
macro_rules! choice {
    (impl $of:ident $($rest:tt)*) => { tagged! { @cases $of: $of $($rest)* } };
}

/// Words, each with its meaning.
macro_rules! words {
    (impl $of:ident { $($words:tt)* }) => {
        words! { @for $of: $of { $($words)* } }
    };
    ($(#[$doc:meta])* struct $name:ident: $of:ty { $($words:tt)* }) => {
        $(#[$doc])*
        pub(crate) struct $name;
        words! { @for $name: $of { $($words)* } }
    };
    (@for $name:ident: $of:ty { $($word:literal = $meaning:expr,)* }) => {
        impl Form for $name {
            type Of = $of;

            fn kind() -> Kind {
                Kind::Word(&[$($word),*])
            }

            fn read(_: &mut Decoder<'_>, node: &Node) -> Option<$of> {
                match node.scalar()? {
                    $($word => Some($meaning),)*
                    _ => None,
                }
            }

            fn write(value: &$of) -> Yaml {
                let meanings = [$(($word, $meaning)),*];
                let found = meanings.iter().find(|(_, meaning)| meaning == value);
                plain(found.map_or("", |(word, _)| word))
            }
        }
    };
}

macro_rules! shortened {
    ($($object:ty = $short:ty, $key:literal;)*) => {$(
        impl Shortened for $object {
            type Short = $short;
            const KEY: &'static str = $key;
        }
    )*};
}

/// Another form's values where the check takes another kind.
macro_rules! form_as {
    ($($(#[$doc:meta])* $name:ident $(<$p:ident>)? = $form:ty, $kind:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name $(<$p>(std::marker::PhantomData<$p>))?;
        impl $(<$p: Form>)? Form for $name $(<$p>)? {
            type Of = <$form as Form>::Of;

            fn kind() -> Kind {
                $kind
            }

            fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self::Of> {
                <$form>::read(decoder, node)
            }

            fn write(value: &Self::Of) -> Yaml {
                <$form>::write(value)
            }
        }
    )*};
}

/// A mapping that is one pattern.
macro_rules! pattern {
    (impl $of:ident = $($rest:tt)*) => { pattern! { @for $of: $of = $($rest)* } };
    ($(#[$doc:meta])* struct $name:ident: $of:ty = $($rest:tt)*) => {
        $(#[$doc])*
        pub(crate) struct $name;
        pattern! { @for $name: $of = $($rest)* }
    };
    (@for $name:ident: $of:ty = $id:literal => $shape:tt, { $([$($line:tt)*])* }) => {
        impl Form for $name {
            type Of = $of;

            fn kind() -> Kind {
                Kind::Object(const { &Object {
                    id: $id,
                    parts: &parts!($([$($line)*])*),
                    groups: &[],
                } })
            }

            #[allow(unused_parens)]
            fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<$of> {
                $(get_variable!(decoder node; $($line)*);)*
                Some($shape)
            }

            #[allow(irrefutable_let_patterns, unused_parens)]
            fn write(value: &$of) -> Yaml {
                let mut map = [Map::default(), Map::default()];
                if let $shape = value {
                    $(put_variable!(map; $($line)*);)*
                }
                let [_, map] = map;
                map.into()
            }
        }
    };
}

/// What a key takes that is read and written by hand.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $kind:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        impl Form for $name {
            type Of = ();

            fn kind() -> Kind {
                $kind
            }

            fn read(_: &mut Decoder<'_>, _: &Node) -> Option<()> {
                None
            }

            fn write((): &()) -> Yaml {
                plain("")
            }
        }
    )*};
}
