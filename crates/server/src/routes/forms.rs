//! Responses whose form another schema tells, for the document.

use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A response of the form that the document has under that name.
macro_rules! form {
    ($form:ident, $schema:literal) => {
        #[doc = concat!("`", $schema, "` of the document.")]
        pub(super) struct $form;

        impl PartialSchema for $form {
            fn schema() -> RefOr<Schema> {
                Ref::from_schema_name($schema).into()
            }
        }

        impl ToSchema for $form {}
    };
}

form!(DiagnosisForm, "Diagnosis");
form!(CurveForm, "Curve");
